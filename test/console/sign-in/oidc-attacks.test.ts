import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { begin, type Forgery, makePair, openSignIn, publicOf, signIn } from '../../support/forged-provider.ts';
import { CLIENT, makeCookieJar } from '../../support/oidc-console.ts';
import { withoutToken } from '../../support/without-token.ts';

afterEach(() => void vi.useRealTimers());

test('a person who signs in has a name of their own and the roles of their groups, and is redirected', async () => {
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

test('each sign-in has new PKCE, nonce and state, and the code is exchanged with the client’s credentials', async () => {
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

const OTHER = makePair('first');

// Promise: provider-answer-checked
test.each<[string, Forgery, Record<string, unknown>?]>([
  ['another audience', { claims: { aud: 'another-client' } }],
  ['the right audience among others, for another party', { claims: { aud: [CLIENT.id, 'another'], azp: 'another' } }],
  ['the right audience among others, for nobody', { claims: { aud: [CLIENT.id, 'another'] } }],
  ['another nonce', { claims: { nonce: 'another' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['no subject', { claims: { sub: undefined } }],
  ['an empty subject', { claims: { sub: ' ' } }],
  ['an end in the past', { claims: { exp: 1_700_000_000, iat: 1_699_999_000 } }],
  ['a beginning in the future', { claims: { nbf: 4_000_000_000 } }],
  ['no end', { claims: { exp: undefined } }],
  ['no signature', { alg: 'none' }],
  [
    'no signature, which the provider announces as supported',
    { alg: 'none' },
    { id_token_signing_alg_values_supported: ['none', 'RS256'] },
  ],
  ['a signature made with the public key', { alg: 'HS256' }],
  [
    'a signature made with the public key, which the provider announces as supported',
    { alg: 'HS256' },
    { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
  ],
  ['a signature of another content', { broken: true }],
  ['a signature by another key of the same id', { pair: OTHER }],
  ['an unknown key', { pair: makePair('unknown') }],
  ['a key of its own', { pair: OTHER, head: (pair) => ({ jwk: publicOf(pair) }) }],
  [
    'the address of a key',
    { pair: OTHER, head: () => ({ jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x' }) },
  ],
  ['no token', { silent: true }],
  ['an unknown code', { status: 400 }],
])(
  'an answer with %s signs nobody in, is recorded, and is reported without details',
  async (_what, forgery, says = {}) => {
    const both = await openSignIn({}, says);
    const { answer, session } = await signIn(both, forgery);
    expect([answer.status, session, both.web.sessions.size]).toEqual([403, undefined, 0]);
    expect(answer.text).toContain('was not one that this console believes');
    expect(withoutToken(answer.text)).not.toMatch(/nonce|audience|alg|RS256|kid|claim|evil/i);
    expect(both.web.notes).toEqual([
      expect.objectContaining({
        by: 'unknown',
        what: 'sign-in refused',
        facts: expect.objectContaining({ why: 'not believed' }),
      }),
    ]);
    expect(both.web.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(JSON.stringify(both.web.lines)).not.toMatch(/alice|evil\.example|eyJ/);
  },
);

// Promise: provider-answer-checked
test('a new key is fetched at most once a minute, and a key that is no longer published is refused', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const both = await openSignIn();
  const { provider } = both;
  const [fresh, unknown] = [makePair('fresh'), makePair('unknown')];
  expect((await signIn(both)).answer.status).toBe(200);
  provider.state.published = [fresh];
  for (let tries = 0; tries < 5; tries += 1) {
    expect((await signIn(both, { pair: { ...unknown, kid: `no-${tries}` } })).answer.status).toBe(403);
  }
  expect(provider.count('/jwks')).toBe(1);
  vi.setSystemTime(Date.now() + 61_000);
  expect((await signIn(both, { pair: fresh })).answer.status).toBe(200);
  expect(provider.count('/jwks')).toBe(2);
  expect((await signIn(both, { pair: provider.first })).answer.status).toBe(403);
});

// Promise: answer-to-same-browser
test('an answer is accepted only from the browser that began the sign-in, and once', async () => {
  const both = await openSignIn();
  const { web, provider } = both;
  const begun = await begin(both);
  provider.state.forgery = {};
  const stranger = makeCookieJar();
  expect((await stranger.ask(begun.back)).status).toBe(403);
  const other = await begin(both);
  expect((await other.jar.ask(begun.back)).status).toBe(403);
  expect(provider.count('/token')).toBe(0);

  provider.state.nonce = begun.query.get('nonce') ?? '';
  expect((await begun.jar.ask(begun.back)).status).toBe(200);
  const again = await begun.jar.ask(begun.back);
  expect([again.status, provider.count('/token')]).toEqual([403, 1]);
  expect(again.text).toContain('Begin again');
  expect(web.notes.filter(({ what }) => what === 'sign-in refused')).toHaveLength(3);
  expect(web.sessions.size).toBe(1);
});

test.each([
  ['no state', 'code=good'],
  ['another state', 'code=good&state=another'],
  ['no code', ''],
  ['nothing but an error', 'error=access_denied'],
])('a callback with %s is refused before the provider is called', async (_what, query) => {
  const both = await openSignIn();
  const { jar } = await begin(both);
  const { status, text } = await jar.ask(`${both.web.url}/sign-in/oidc/callback?${query}`);
  expect([status, both.provider.count('/token')]).toEqual([403, 0]);
  expect(text).toContain('Begin again');
});

test('the issuer in an answer is checked if the provider announces that it names one', async () => {
  const both = await openSignIn({}, { authorization_response_iss_parameter_supported: true });
  for (const iss of ['', '&iss=https%3A%2F%2Fevil.example']) {
    const { jar, back } = await begin(both);
    const { status } = await jar.ask(`${back}${iss}`);
    expect([status, both.provider.count('/token')]).toEqual([403, 0]);
  }
  const { jar, back } = await begin(both);
  expect((await jar.ask(`${back}&iss=${encodeURIComponent(both.provider.issuer)}`)).status).toBe(200);
});

test('a refusal by the provider is reported without the provider’s words', async () => {
  const both = await openSignIn();
  const { jar, query } = await begin(both);
  const said = 'error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E';
  const { status, text } = await jar.ask(`${both.web.url}/sign-in/oidc/callback?${said}&state=${query.get('state')}`);
  expect([status, text.includes('did not sign you in'), text.includes('alert(1)')]).toEqual([403, true, false]);
});

test('a person without a known group is refused, and the page names the groups without their roles', async () => {
  const both = await openSignIn();
  for (const groups of [undefined, [], 'finance', ['Heads'], [{ heads: true }], { heads: true }]) {
    const { answer, session } = await signIn(both, { claims: { groups } });
    expect([answer.status, session]).toEqual([403, undefined]);
    expect(answer.text).toContain('<bdi>finance team</bdi>');
    expect(answer.text).toContain('&lt;b&gt;ops&lt;/b&gt;');
    expect(withoutToken(answer.text)).not.toMatch(/approver|operator/);
  }
  expect(both.web.notes.every(({ by, what }) => what === 'sign-in refused' && by.startsWith('alice@'))).toBe(true);
});

// Promise: name-stays-theirs
test('a name belongs to one person for ever, whatever the provider calls anybody later', async () => {
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

test.each([
  '//evil.example',
  'https://evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  '/sign-in',
])('sign-in never redirects to %s', async (to) => {
  const both = await openSignIn();
  const { jar, back } = await begin(both, to);
  const { headers, text } = await jar.ask(back);
  expect(headers.get('refresh')).toBe('0; url=/');
  expect(text).not.toContain('evil.example');
});
