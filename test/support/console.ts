import { onTestFinished } from 'vitest';
import { openConsole as openConsoleOf } from '../../scripts/console/open-console.ts';
import { readSettings } from '../../src/config.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { ownDataHome } from './command.ts';
import { cheapHash } from './people.ts';

/**
 * The console in the test's own process, on a port of its own, for the folder and settings of a desk (test/support/desk.ts);
 * closed when the test ends.
 *
 * @param who who comes, in place of anybody
 */
export async function openConsole(
  { cwd, env }: { cwd: string; env: Record<string, string> },
  who: Partial<AccessFunctions> = {},
) {
  const settings = readSettings({ env: { ...ownDataHome(cwd), ...env, CONSOLE_PORT: '0' }, cwd });
  const context = await openContext({ settings, log: makeSilentLog(), hash: cheapHash });
  const web = await openConsoleOf(context, who);
  onTestFinished(async () => {
    await web.close();
    await context.close();
  });
  await web.listen();
  return { context, app: web.app, url: web.url(), ...makeVisitor(web.url()) };
}

/** Looks at pages and posts forms as a browser does: with the cookies that it was given, and the token of the last page. */
export function makeVisitor(url: string) {
  const cookies = new Map<string, string>();
  let token = '';
  const ask = async (path: string, init: RequestInit, headers: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(`${url}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
    });
    for (const set of response.headers.getSetCookie()) keepCookie(cookies, set);
    const text = await response.text();
    token = /name="csrf-token" content="([^"]*)"/.exec(text)?.[1] ?? token;
    return { status: response.status, headers: response.headers, text };
  };
  const get = (path: string, headers: Record<string, string> = {}) => ask(path, {}, headers);
  return {
    get,
    /** Posts a form as it is posted from a page of the console. */
    async post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
      if (token === '') await get('/keys');
      return ask(
        path,
        { method: 'POST', body: new URLSearchParams({ _csrf: token, ...fields }).toString() },
        {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      );
    },
    /** What a request of the test's own needs to be believed. */
    credentials: async () => {
      if (token === '') await get('/keys');
      return { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), token, origin: url };
    },
    /** Every cookie that it has, by name: a test may take one away, or put another in its place. */
    cookies,
  };
}

function keepCookie(cookies: Map<string, string>, set: string): void {
  const [pair = '', ...attributes] = set.split(';');
  const [name = '', value = ''] = pair.trim().split(/=(.*)/s);
  const isGone = attributes.some((one) => /^\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(one));
  if (isGone) cookies.delete(name);
  else cookies.set(name, value);
}
