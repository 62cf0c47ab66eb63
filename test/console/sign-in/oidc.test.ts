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

/** Goes from the console to the provider and back. */
async function signIn({ provider, web }: Awaited<ReturnType<typeof open>>, name: string, to = '/keys') {
  const jar = makeCookieJar();
  const ask = (path: string, asked?: Parameters<typeof jar.ask>[1]) => jar.ask(`${web.url}${path}`, asked);
  const begun = await ask(`/sign-in/oidc?to=${encodeURIComponent(to)}`);
  const back = await passProvider(jar, { from: begun.to ?? '', issuer: provider.issuer, name });
  expect(back).toContain(`${web.url}/sign-in/oidc/callback?code=`);
  return { jar, ask, back, answer: await jar.ask(back) };
}

// Promise: nobody-unknown-let-in
test('people sign in at a real provider with the roles of their groups, and no page is shown before', async () => {
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
  // The provider has invalidated the code, too.
  expect((await ben.jar.ask(ben.back)).status).toBe(403);
});

test('signing out ends the session, and the page links to the sign-out of the provider', async () => {
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
test('beside the provider there can be users, and removing the last one does not open the console', async () => {
  const both = await open();
  const { context } = both.web;
  await addUser(both.web, 'dora', ['viewer']);
  // Somebody with access to Redis deletes the users, because the commands keep one admin.
  await context.ledger.del(makeSharedKeys(context.settings.LIMITLINE_PREFIX).users);
  await expect.poll(() => context.people.required()).toBe(false);
  expect((await makeCookieJar().ask(`${both.web.url}/keys`)).status).toBe(303);
  expect((await makeCookieJar().ask(`${both.web.url}/sign-in`)).status).toBe(200);
});

test('sign-ins at the provider are in the audit, and refused ones, too', async () => {
  const both = await open();
  const anna = await signIn(both, 'anna');
  await anna.jar.ask(anna.back);
  await signIn(both, 'carl');
  const { entries } = await both.web.context.audit.read.page({ count: 10, walk: 10 });
  const said = entries.map(({ by, what }) => `${by.replace(/ \(sso .*/, '')}: ${what}`).reverse();
  expect(said).toEqual(['anna@example.com: session begun', 'unknown: sign-in refused', 'carl: sign-in refused']);
});
