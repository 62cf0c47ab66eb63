import { afterEach, expect, test, vi } from 'vitest';
import { makeCookieJar } from '../../support/cookie-jar.ts';
import { type Forgery, makePair, publicOf } from '../../support/forged-provider.ts';
import { CLIENT } from '../../support/oidc-console.ts';
import { begin, openSignIn, signIn } from '../../support/oidc-sign-in.ts';

afterEach(() => void vi.useRealTimers());

const OTHER = makePair('first');

test.each<[string, Forgery, Record<string, unknown>?]>([
  ['another audience', { claims: { aud: 'another-client' } }],
  ['our audience among others, for another party', { claims: { aud: [CLIENT.id, 'another'], azp: 'another' } }],
  ['our audience among others, for nobody', { claims: { aud: [CLIENT.id, 'another'] } }],
  ['another nonce', { claims: { nonce: 'another' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['no subject', { claims: { sub: undefined } }],
  ['a time that is over', { claims: { exp: 1_700_000_000, iat: 1_699_999_000 } }],
  ['a time that has not come', { claims: { nbf: 4_000_000_000 } }],
  ['no end', { claims: { exp: undefined } }],
  ['no signature', { alg: 'none' }],
  [
    'no signature, where the provider says that is good',
    { alg: 'none' },
    { id_token_signing_alg_values_supported: ['none', 'RS256'] },
  ],
  ['a signature by the public key', { alg: 'HS256' }],
  [
    'a signature by the public key, where the provider says that is good',
    { alg: 'HS256' },
    { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
  ],
  ['a signature of something else', { broken: true }],
  ['a signature by another key of that name', { pair: OTHER }],
  ['a key that is not known', { pair: makePair('unknown') }],
  ['a key that it brings along', { pair: OTHER, head: (pair) => ({ jwk: publicOf(pair) }) }],
  [
    'the address of a key',
    { pair: OTHER, head: () => ({ jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x' }) },
  ],
  ['no token', { silent: true }],
  ['a code that it does not know', { status: 400 }],
])('an answer with %s signs nobody in, is audited, and is said without details', async (_what, forgery, says = {}) => {
  const both = await openSignIn({}, says);
  const { answer, session } = await signIn(both, forgery);
  expect([answer.status, session, both.web.sessions.size]).toEqual([403, undefined, 0]);
  expect(answer.text).toContain('was not one that this console believes');
  expect(answer.text).not.toMatch(/nonce|audience|alg|RS256|kid|claim|evil/i);
  expect(both.web.notes).toEqual([
    expect.objectContaining({
      by: 'unknown',
      what: 'sign-in refused',
      facts: expect.objectContaining({ why: 'not believed' }),
    }),
  ]);
  expect(both.web.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  expect(JSON.stringify(both.web.lines)).not.toMatch(/alice|evil\.example|eyJ/);
});

test('a key that is new is fetched, once a minute at the most, and one that is no longer published is not believed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const both = await openSignIn();
  const { provider } = both;
  const fresh = makePair('fresh');
  expect((await signIn(both)).answer.status).toBe(200);
  provider.state.published = [fresh];
  for (let tries = 0; tries < 5; tries += 1) {
    expect((await signIn(both, { pair: makePair(`no-${tries}`) })).answer.status).toBe(403);
  }
  expect(provider.count('/jwks')).toBe(1);
  vi.setSystemTime(Date.now() + 61_000);
  expect((await signIn(both, { pair: fresh })).answer.status).toBe(200);
  expect(provider.count('/jwks')).toBe(2);
  expect((await signIn(both, { pair: provider.first })).answer.status).toBe(403);
});

test('an answer is believed of the browser that began alone, and once', async () => {
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
])('what comes back with %s finds nothing', async (_what, query) => {
  const both = await openSignIn();
  const { jar } = await begin(both);
  const { status, text } = await jar.ask(`${both.web.url}/sign-in/oidc/callback?${query}`);
  expect([status, both.provider.count('/token')]).toEqual([403, 0]);
  expect(text).toContain('Begin again');
});

test('the issuer that an answer names is held against ours, where the provider says that it names one', async () => {
  const both = await openSignIn({}, { authorization_response_iss_parameter_supported: true });
  for (const iss of ['', '&iss=https%3A%2F%2Fevil.example']) {
    const { jar, back } = await begin(both);
    const { status } = await jar.ask(`${back}${iss}`);
    expect([status, both.provider.count('/token')]).toEqual([403, 0]);
  }
  const { jar, back } = await begin(both);
  expect((await jar.ask(`${back}&iss=${encodeURIComponent(both.provider.issuer)}`)).status).toBe(200);
});

test('what the provider refuses is said, without what it wrote', async () => {
  const both = await openSignIn();
  const { jar, query } = await begin(both);
  const said = 'error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E';
  const { status, text } = await jar.ask(`${both.web.url}/sign-in/oidc/callback?${said}&state=${query.get('state')}`);
  expect([status, text.includes('did not sign you in'), text.includes('alert(1)')]).toEqual([403, true, false]);
});

test.each([
  '//evil.example',
  'https://evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  '/sign-in',
])('nobody is led to %s afterwards', async (to) => {
  const both = await openSignIn();
  const { jar, back } = await begin(both, to);
  const { headers, text } = await jar.ask(back);
  expect(headers.get('refresh')).toBe('0; url=/');
  expect(text).not.toContain('evil.example');
});

test('another site cannot begin a sign-in: who is led there is asked first', async () => {
  const both = await openSignIn();
  const { web, provider } = both;
  const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const asked = await web.ask('GET', '/sign-in/oidc', led);
  expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('Another site led here') });
  const image = { ...led, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  expect((await web.ask('GET', '/sign-in/oidc', image)).status).toBe(403);
  expect(provider.asked).toEqual([]);

  // The provider leads back as another site does.
  const { jar, back } = await begin(both);
  const cookie = [...jar.cookiesOf(web.url)].map((pair) => pair.join('=')).join('; ');
  const answer = await web.ask('GET', back.slice(web.url.length), { ...led, cookie });
  expect(answer.headers.refresh).toBe('0; url=/held');
});

test.each(['/.well-known/openid-configuration', '/jwks', '/token'])(
  'no other address is asked where %s leads to one',
  async (path) => {
    const both = await openSignIn();
    both.provider.state.redirected = path;
    const { jar, back, status } = await begin(both);
    if (status === 303) expect((await jar.ask(back)).headers.get('refresh')).toBeNull();
    expect(both.provider.count(`${path}/elsewhere`)).toBe(0);
    expect(both.web.sessions.size).toBe(0);
  },
);

test('who begins again and again is told to wait, before Redis or the provider is asked', async () => {
  const both = await openSignIn();
  const statuses: number[] = [];
  for (let tries = 0; tries < 70; tries += 1) statuses.push((await begin(both)).status);
  expect(statuses.filter((status) => status === 303).length).toBeLessThanOrEqual(60);
  expect(statuses.at(-1)).toBe(429);
  expect((await both.web.connection.keys(`{${both.web.prefix}}:sign-in:*`)).length).toBeLessThanOrEqual(60);
});
