import { onTestFinished } from 'vitest';
import { openConsole as openConsoleOf } from '../../scripts/console/open-console.ts';
import { readSettings } from '../../src/config.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { ownDataHome } from './command.ts';

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
  const context = await openContext({ settings, log: makeSilentLog() });
  const web = await openConsoleOf(context, who);
  onTestFinished(async () => {
    await web.close();
    await context.close();
  });
  await web.listen();
  return { context, app: web.app, url: web.url(), ...makeVisitor(web.url()) };
}

/** Looks at pages and posts forms as a browser does. */
export function makeVisitor(url: string) {
  let cookies = '';
  let token = '';
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      headers: { ...withCookies(cookies), ...headers },
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) cookies = cookie.split(';')[0] ?? '';
    const text = await response.text();
    token = /name="csrf-token" content="([^"]*)"/.exec(text)?.[1] ?? token;
    return { status: response.status, headers: response.headers, text };
  };
  return {
    get,
    /** Posts a form as it is posted from a page of the console. */
    async post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
      if (token === '') await get('/keys');
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...withCookies(cookies),
          ...headers,
        },
        body: new URLSearchParams({ _csrf: token, ...fields }).toString(),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    /** What a request of the test's own needs to be believed. */
    credentials: async () => {
      if (token === '') await get('/keys');
      return { cookie: cookies, token, origin: url };
    },
  };
}

function withCookies(cookie: string): Record<string, string> {
  return cookie === '' ? {} : { cookie };
}
