import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCookieJar } from '../../support/cookie-jar.ts';
import { startForgedProvider } from '../../support/forged-provider.ts';
import { CLIENT, openOidcConsole } from '../../support/oidc-console.ts';
import { begin, openSignIn, SESSION, signIn } from '../../support/oidc-sign-in.ts';

test('who signed in is known by a name of their own, with the roles of their groups, and is led on', async () => {
  const both = await openSignIn();
  const { answer, session, jar } = await signIn(both);
  expect([answer.status, answer.headers.get('refresh'), answer.headers.get('cache-control')]).toEqual([
    200,
    '0; url=/held',
    'no-store',
  ]);
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  const digest = createHash('sha256')
    .update(JSON.stringify([both.provider.issuer, 'subject-1']))
    .digest('hex');
  const by = `alice@example.com (sso ${digest.slice(0, 6)})`;
  expect(both.web.sessions.get(session ?? '')).toEqual({ by, roles: ['approver'] });
  expect(JSON.parse((await jar.ask(`${both.web.url}/me`)).text)).toEqual({ by, roles: ['approver'] });
  expect(both.web.notes).toEqual([
    expect.objectContaining({
      by,
      what: 'session begun',
      from: '127.0.0.1',
      facts: expect.objectContaining({ roles: ['approver'] }),
    }),
  ]);
});

test('how the provider knew somebody is in the audit, where it says so', async () => {
  const both = await openSignIn();
  await signIn(both, { claims: { amr: ['pwd', 'otp', 7], acr: 'urn:two-factors' } });
  await signIn(both, { claims: { amr: 'pwd', acr: 3 } });
  const facts = both.web.notes.map((note) => note.facts);
  expect(facts[0]).toMatchObject({ amr: ['pwd', 'otp'], acr: 'urn:two-factors' });
  expect(Object.keys(facts[1] ?? {})).toEqual(['by', 'roles']);
});

test('the provider is asked with PKCE, a nonce and a state that are new each time, and the code is brought by who we are', async () => {
  const both = await openSignIn();
  const [one, two] = [await signIn(both), await signIn(both)];
  for (const { query, there } of [one, two]) {
    expect(there).toMatch(`${both.provider.issuer}/authorize?`);
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      redirect_uri: `${both.web.url}/sign-in/oidc/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)?.length).toBeGreaterThanOrEqual(43);
  }
  for (const name of ['state', 'nonce', 'code_challenge']) expect(one.query.get(name)).not.toBe(two.query.get(name));
  const [token] = both.provider.asked.filter(({ path }) => path === '/token');
  expect(
    createHash('sha256')
      .update(token?.form.get('code_verifier') ?? '')
      .digest('base64url'),
  ).toBe(one.query.get('code_challenge'));
  expect(token?.form.get('redirect_uri')).toBe(`${both.web.url}/sign-in/oidc/callback`);
  expect(token?.authorization).toBe(`Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`);
});

test('who is of no group that counts does not get in, and is told the groups but not what they may do', async () => {
  const both = await openSignIn();
  for (const groups of [undefined, [], 'finance', ['Heads'], [{ heads: true }], { heads: true }]) {
    const { answer, session } = await signIn(both, { claims: { groups } });
    expect([answer.status, session]).toEqual([403, undefined]);
    expect(answer.text).toContain('<bdi>finance team</bdi>');
    expect(answer.text).toContain('&lt;b&gt;ops&lt;/b&gt;');
    expect(answer.text).not.toMatch(/approver|operator/);
  }
  expect(both.web.notes.every(({ by, what }) => what === 'sign-in refused' && by.startsWith('alice@'))).toBe(true);
});

test('a name is one person for ever, whatever they are called later, and whatever others are called', async () => {
  const both = await openSignIn();
  const nameAfter = async (claims: Record<string, unknown>) => {
    const { session = '' } = await signIn(both, { claims });
    return both.web.sessions.get(session)?.by;
  };
  const alice = await nameAfter({});
  expect(await nameAfter({ preferred_username: 'bob@example.com' })).toBe(alice);
  const other = await nameAfter({ sub: 'subject-2' });
  expect(other).toMatch(/^alice@example\.com \(sso [0-9a-f]{6}\)$/);
  expect(other).not.toBe(alice);
  expect(await nameAfter({ sub: 's3', preferred_username: alice })).not.toBe(alice);
  expect(await nameAfter({ sub: 's4', preferred_username: 'a\u202Elice\u0000 \n(x)'.padEnd(300, 'y') })).toMatch(
    /^alice xy{53} \(sso [0-9a-f]{6}\)$/,
  );
  expect(await nameAfter({ sub: 's5', preferred_username: ' ', email: 'e@example.com' })).toMatch(
    /^e@example\.com \(sso/,
  );
  expect(await nameAfter({ sub: 's6', preferred_username: 7, email: '<b>' })).toMatch(/^<b> \(sso/);
});

test('a sign-in that began at one host of the installation ends at another, and the session that was before it ends', async () => {
  const provider = await startForgedProvider();
  const one = await openOidcConsole({ issuer: provider.issuer });
  const two = await openOidcConsole({ issuer: provider.issuer, prefix: one.prefix, sessions: one.sessions });
  const { jar, back } = await begin({ web: one, provider });
  // Both hosts stand under one name, so that browsers bring the cookies of one to the other.
  for (const [name, value] of jar.cookiesOf(one.url)) jar.cookiesOf(two.url).set(name, value);
  const old = 'o'.repeat(43);
  one.sessions.set(old, { by: 'before', roles: [] });
  jar.cookiesOf(two.url).set(SESSION, old);
  expect((await jar.ask(back.replace(one.url, two.url))).status).toBe(200);
  expect([...one.sessions.values()].map(({ by }) => by)).toEqual([expect.stringContaining('alice')]);
});

test('a provider that is away keeps nothing from starting, is said, and is asked again when it is back', async () => {
  const both = await openSignIn();
  const { provider, web } = both;
  provider.state.isDown = true;
  const away = await begin(both);
  expect(away.status).toBe(503);
  const page = await away.jar.ask(`${web.url}/sign-in/oidc`);
  expect(page.text).toContain('does not answer just now');
  expect(page.text).toContain('Sign in with a password');
  const asked = provider.count('/.well-known/openid-configuration');
  await begin(both);
  expect(provider.count('/.well-known/openid-configuration')).toBe(asked);
  provider.state.isDown = false;
  await expect.poll(async () => (await begin(both)).status, { timeout: 10_000, interval: 200 }).toBe(303);

  const { jar, back } = await begin(both);
  provider.state.isDown = true;
  const answer = await jar.ask(back);
  expect([answer.status, web.sessions.size]).toEqual([503, 0]);
  expect(web.notes.at(-1)).toMatchObject({ what: 'sign-in refused', facts: { why: 'away' } });
});

test('a provider that calls itself by another address is not asked anything', async () => {
  const both = await openSignIn({}, { issuer: 'https://login.example.com' });
  expect((await begin(both)).status).toBe(503);
});

test('the cookie that names a browser is kept to this host, to https and from scripts, and what Redis keeps ends by itself', async () => {
  const both = await openSignIn();
  const { headers } = await makeCookieJar().ask(`${both.web.url}/sign-in/oidc`);
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${SESSION}-sso=`));
  expect(line).toMatch(/^__Host-[\w-]+=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const keys = await both.web.connection.keys(`{${both.web.prefix}}:sign-in:*`);
  expect(keys).toHaveLength(1);
  expect(await both.web.connection.ttl(keys[0] ?? '')).toBeLessThanOrEqual(600);
  expect(await both.web.connection.ttl(keys[0] ?? '')).toBeGreaterThan(0);
});

test('two tabs of one browser sign in, each by its own', async () => {
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
