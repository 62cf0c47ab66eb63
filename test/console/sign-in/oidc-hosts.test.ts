import { expect, test } from 'vitest';
import { begin, openSignIn, SESSION, startForgedProvider } from '../../support/forged-provider.ts';
import { makeCookieJar, openOidcConsole } from '../../support/oidc-console.ts';

test('a sign-in that began on one host of the installation ends on another, and replaces the earlier session', async () => {
  const provider = await startForgedProvider();
  const one = await openOidcConsole({ issuer: provider.issuer });
  const two = await openOidcConsole({ issuer: provider.issuer, prefix: one.prefix, sessions: one.sessions });
  const { jar, back } = await begin({ web: one, provider });
  // Both hosts have one name, so a browser sends the cookies of one to the other.
  for (const [name, value] of jar.cookiesOf(one.url)) jar.cookiesOf(two.url).set(name, value);
  const old = 'o'.repeat(43);
  one.sessions.set(old, { by: 'before', roles: [] });
  jar.cookiesOf(two.url).set(SESSION, old);
  expect((await jar.ask(back.replace(one.url, two.url))).status).toBe(200);
  expect([...one.sessions.values()].map(({ by }) => by)).toEqual([expect.stringContaining('alice')]);
});

// Promise: provider-away
test('while the provider is away the console runs and says so, and sign-in works when it is back', async () => {
  const both = await openSignIn();
  const { provider, web } = both;
  provider.state.isDown = true;
  const away = await begin(both);
  expect(away.status).toBe(503);
  const page = await away.jar.ask(`${web.url}/sign-in/oidc`);
  expect(page.text).toContain('does not answer just now');
  expect(page.text).toContain('Sign in with a password');
  const questions = async () => {
    const before = provider.count('/.well-known/openid-configuration');
    await begin(both);
    return provider.count('/.well-known/openid-configuration') - before;
  };
  // The provider is asked at most once in two seconds; a busy machine may take longer than that for one question.
  await expect.poll(questions).toBe(0);
  provider.state.isDown = false;
  await expect.poll(async () => (await begin(both)).status, { interval: 200 }).toBe(303);

  const { jar, back } = await begin(both);
  provider.state.isDown = true;
  const answer = await jar.ask(back);
  expect([answer.status, web.sessions.size]).toEqual([503, 0]);
  expect(web.notes.at(-1)).toMatchObject({ what: 'sign-in refused', facts: { why: 'away' } });
});

test('a provider that states another issuer is not used', async () => {
  const both = await openSignIn({}, { issuer: 'https://login.example.com' });
  expect((await begin(both)).status).toBe(503);
});

// Promise: answer-to-same-browser
test('the sign-in cookie is bound to this host, https and no scripts, and its record in Redis expires', async () => {
  const both = await openSignIn();
  const { headers } = await makeCookieJar().ask(`${both.web.url}/sign-in/oidc`);
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${SESSION}-sso=`));
  expect(line).toMatch(/^__Host-[\w-]+=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const keys = await both.web.connection.keys(`{${both.web.prefix}}:sign-in:*`);
  expect(keys).toHaveLength(1);
  expect(await both.web.connection.ttl(keys[0] ?? '')).toBeLessThanOrEqual(600);
  expect(await both.web.connection.ttl(keys[0] ?? '')).toBeGreaterThan(0);
});

test('two tabs of one browser sign in independently', async () => {
  const both = await openSignIn();
  const { jar, back, query } = await begin(both);
  const second = await jar.ask(`${both.web.url}/sign-in/oidc?to=/keys`);
  const other = new URL(second.to ?? '').searchParams;
  both.provider.state.nonce = other.get('nonce') ?? '';
  const there = `${both.web.url}/sign-in/oidc/callback?code=good&state=${other.get('state')}`;
  expect((await jar.ask(there)).headers.get('refresh')).toBe('0; url=/keys');
  both.provider.state.nonce = query.get('nonce') ?? '';
  expect((await jar.ask(back)).headers.get('refresh')).toBe('0; url=/held');
});
