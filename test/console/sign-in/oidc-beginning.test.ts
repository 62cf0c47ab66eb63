import { expect, test } from 'vitest';
import { begin, openSignIn, signIn } from '../../support/forged-provider.ts';

test('a sign-in that begins at another site needs a confirmation first', async () => {
  const both = await openSignIn();
  const { web, provider } = both;
  const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const asked = await web.ask('GET', '/sign-in/oidc', led);
  expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('Another site led here') });
  const image = { ...led, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  expect((await web.ask('GET', '/sign-in/oidc', image)).status).toBe(403);
  expect(provider.asked).toEqual([]);

  // The provider redirects back, as another site does.
  const { jar, back } = await begin(both);
  const cookie = [...jar.cookiesOf(web.url)].map((pair) => pair.join('=')).join('; ');
  const answer = await web.ask('GET', back.slice(web.url.length), { ...led, cookie });
  expect(answer.headers.refresh).toBe('0; url=/held');
});

test.each(['/.well-known/openid-configuration', '/jwks', '/token'])(
  'a redirect of %s by the provider is not followed',
  async (path) => {
    const both = await openSignIn();
    both.provider.state.redirected = path;
    const { jar, back, status } = await begin(both);
    if (status === 303) expect((await jar.ask(back)).headers.get('refresh')).toBeNull();
    expect(both.provider.count(`${path}/elsewhere`)).toBe(0);
    expect(both.web.sessions.size).toBe(0);
  },
);

test('many beginnings of a sign-in are answered with status 429, before Redis or the provider is called', async () => {
  const both = await openSignIn();
  const statuses: number[] = [];
  for (let tries = 0; tries < 70; tries += 1) statuses.push((await begin(both)).status);
  expect(statuses.filter((status) => status === 303).length).toBeLessThanOrEqual(60);
  expect(statuses.at(-1)).toBe(429);
  expect((await both.web.connection.keys(`{${both.web.prefix}}:sign-in:*`)).length).toBeLessThanOrEqual(60);
});

test('the authentication methods that the provider states are in the audit', async () => {
  const both = await openSignIn();
  await signIn(both, { claims: { amr: ['pwd', 'otp', 7], acr: 'urn:two-factors' } });
  await signIn(both, { claims: { amr: 'pwd', acr: 3 } });
  const facts = both.web.notes.map((note) => note.facts);
  expect(facts[0]).toMatchObject({ amr: ['pwd', 'otp'], acr: 'urn:two-factors' });
  expect(Object.keys(facts[1] ?? {})).toEqual(['by', 'roles']);
});
