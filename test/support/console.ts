import { onTestFinished } from 'vitest';
import { consoleLink } from '../../scripts/console/console-link.ts';
import { openConsole as openConsoleOf } from '../../scripts/console/open-console.ts';
import { readSettings } from '../../src/config.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { ownDataHome } from './command.ts';
import { cheapHash } from './people.ts';

/** The consoles of this test that a link opened, by their address: what a browser of it is given (test/support/browser.ts). */
export const OPENED = new Map<string, { name: string; value: string }>();

/**
 * The console in the test's own process, on a port of its own, for the folder and settings of a desk (test/support/desk.ts);
 * closed when the test ends. While it has no users the visitor, and each browser of the test, opened it by its link.
 *
 * @param who who comes, in place of what sessions say
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
  const url = web.url();
  const visitor = makeVisitor(url);
  const link = who.identify ? undefined : await consoleLink(context, url);
  if (link !== undefined) {
    await visitor.get(link.slice(url.length));
    const [name = '', value = ''] = [...visitor.cookies].find(([one]) => one.startsWith('limitline-opened-')) ?? [];
    OPENED.set(url, { name, value });
    onTestFinished(() => void OPENED.delete(url));
  }
  /** For what is not a page or a form: with the cookies that the visitor has. */
  const open = (path: string, init: RequestInit = {}) => {
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
    return fetch(`${url}${path}`, { ...init, headers: { ...(cookie && { cookie }), ...(init.headers as object) } });
  };
  return { context, app: web.app, url, open, ...visitor };
}

/** Opens a console without users by the link that it printed. */
export async function openByLink(link: string) {
  const { origin, pathname, search } = new URL(link);
  const visitor = makeVisitor(origin);
  await visitor.get(`${pathname}${search}`);
  return visitor;
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
    // Numbers stand in elements of their own, and are read as the text that they are part of.
    const text = (await response.text()).replace(/<data class="grouped"[^>]*>([^<]*)<\/data>/g, '$1');
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
