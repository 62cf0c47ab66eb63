import { expect, test } from 'vitest';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { addUser, openConsole, openDesk } from '../../support/desk.ts';
import { CLIENT, makeCookieJar } from '../../support/oidc-console.ts';
import { type Account, passProvider, startOidcProvider } from '../../support/oidc-provider.ts';

const ACCOUNTS: Record<string, Account> = {
  anna: { preferred_username: 'anna@example.com', groups: ['finance team'] },
  ben: { email: 'ben@example.com', groups: ['heads', 'others'] },
  carl: { preferred_username: 'carl', groups: ['others'] },
};

/** The console of an installation whose people sign in at a real provider. */
async function open() {
  const provider = await startOidcProvider(ACCOUNTS);
  const desk = await openDesk(
    0,
    {},
    {
      CONSOLE_OIDC_ISSUER: provider.issuer,
      CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
      CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      CONSOLE_OIDC_ROLES: 'finance team=finance, heads=approver+viewer',
    },
  );
  const web = await openConsole(desk);
  provider.open([`${web.url}/sign-in/oidc/callback`]);
  return { provider, web };
}

/** Somebody who goes from the console to the provider and comes back. */
async function signIn({ provider, web }: Awaited<ReturnType<typeof open>>, name: string, to = '/keys') {
  const jar = makeCookieJar();
  const ask = (path: string, asked?: Parameters<typeof jar.ask>[1]) => jar.ask(`${web.url}${path}`, asked);
  const begun = await ask(`/sign-in/oidc?to=${encodeURIComponent(to)}`);
  const back = await passProvider(jar, { from: begun.to ?? '', issuer: provider.issuer, name });
  expect(back).toContain(`${web.url}/sign-in/oidc/callback?code=`);
  return { jar, ask, back, answer: await jar.ask(back) };
}

// Promise: nobody-unknown-let-in
test('people sign in at a real provider, with their roles, and nothing is shown before, though there are no users', async () => {
  const both = await open();
  const { web, provider } = both;
  const stranger = makeCookieJar();
  expect((await stranger.ask(`${web.url}/keys`)).to).toBe(`${web.url}/sign-in?to=%2Fkeys`);
  const page = await stranger.ask(`${web.url}/sign-in?to=%2Fkeys`);
  expect(page.text).toContain('href="/sign-in/oidc?to=%2Fkeys"');
  expect(page.text).toContain(`Sign in with ${new URL(provider.issuer).host}`);

  const anna = await signIn(both, 'anna');
  expect([anna.answer.status, anna.answer.headers.get('refresh')]).toEqual([200, '0; url=/keys']);
  expect((await anna.ask('/keys')).text).toMatch(/Account of anna@example\.com \(sso [0-9a-f]{6}\)/);
  expect((await anna.ask('/new')).status).toBe(200);
  expect((await anna.ask('/work')).status).toBe(403);
  const ben = await signIn(both, 'ben');
  expect((await ben.ask('/keys')).text).toMatch(/Account of ben@example\.com \(sso/);
  expect((await ben.ask('/new')).status).toBe(403);
  // Its code is used up at the provider as well.
  expect((await ben.jar.ask(ben.back)).status).toBe(403);
});

test('who is of no group that counts does not get in', async () => {
  const both = await open();
  const carl = await signIn(both, 'carl');
  expect(carl.answer.status).toBe(403);
  expect(carl.answer.text).toContain('<bdi>heads</bdi>');
  expect((await carl.ask('/keys')).status).toBe(303);
});

test('who signs out has no session here any more, and is told where they still are signed in', async () => {
  const both = await open();
  const anna = await signIn(both, 'anna');
  const before = new Map(anna.jar.cookiesOf(both.web.url));
  const [, csrf = ''] = /name="csrf-token" content="([^"]+)"/.exec((await anna.ask('/keys')).text) ?? [];
  const headers = { origin: both.web.url, 'content-type': 'application/x-www-form-urlencoded' };
  const out = await anna.ask('/sign-out', { method: 'POST', headers, form: { _csrf: csrf } });
  expect([out.status, out.to]).toEqual([303, `${both.web.url}/sign-in/oidc/out`]);
  const page = await anna.ask('/sign-in/oidc/out');
  expect(page.text).toContain(`href="${both.provider.issuer}/session/end?`);
  for (const [name, value] of before) anna.jar.cookiesOf(both.web.url).set(name, value);
  expect((await anna.ask('/keys')).status).toBe(303);
});

// Promise: nobody-unknown-let-in
test('users of the console sign in beside it, and nobody becomes anybody when the last of them is removed', async () => {
  const both = await open();
  const { context } = both.web;
  await addUser(both.web, 'dora', ['viewer']);
  // By whoever has Redis; the commands leave an admin.
  await context.ledger.del(makeSharedKeys(context.settings.LIMITLINE_PREFIX).users);
  await expect.poll(() => context.people.required()).toBe(false);
  expect((await makeCookieJar().ask(`${both.web.url}/keys`)).status).toBe(303);
  expect((await makeCookieJar().ask(`${both.web.url}/sign-in`)).status).toBe(200);
});

test('what was done at the sign-in is in the audit, and what failed too', async () => {
  const both = await open();
  const anna = await signIn(both, 'anna');
  await anna.jar.ask(anna.back);
  await signIn(both, 'carl');
  const { entries } = await both.web.context.audit.read.page({ count: 10, walk: 10 });
  const said = entries.map(({ by, what }) => `${by.replace(/ \(sso .*/, '')}: ${what}`).reverse();
  expect(said).toEqual(['anna@example.com: session begun', 'unknown: sign-in refused', 'carl: sign-in refused']);
});
