import { expect, test } from 'vitest';
import { openSignIn, SESSION, signIn } from '../../support/forged-provider.ts';

/** Somebody who is signed in and signs in anew for an approval; returns the last answer. */
async function openAnew() {
  const both = await openSignIn();
  const { web, provider } = both;
  const { jar } = await signIn(both);
  const anew = async (claims: Record<string, unknown>, before: () => unknown = () => {}) => {
    const { to: there = '' } = await jar.ask(`${web.url}/sign-in/oidc?approval=q4-1&to=%2Fapprovals%2Fq4-1`);
    const query = new URL(there).searchParams;
    provider.state.nonce = query.get('nonce') ?? '';
    provider.state.forgery = { claims };
    before();
    const answer = await jar.ask(`${web.url}/sign-in/oidc/callback?code=good&state=${query.get('state')}`);
    return { query, ...answer };
  };
  return { ...both, jar, anew };
}

const nowS = () => Math.floor(Date.now() / 1_000);

// Promises: approval-signs-in-anew, provider-states-the-time
test('an approver signs in anew at the provider, which must state the time, and the session stays the same', async () => {
  const { web, jar, anew } = await openAnew();
  const session = jar.cookiesOf(web.url).get(SESSION);
  const { query, status, headers } = await anew({ auth_time: nowS() });
  expect([query.get('prompt'), query.get('max_age')]).toEqual(['login', '0']);
  expect([status, headers.get('refresh')]).toEqual([200, '0; url=/approvals/q4-1']);
  expect(web.proofs).toMatchObject([{ approval: 'q4-1', by: expect.stringMatching(/^alice@example\.com \(sso /) }]);
  expect(jar.cookiesOf(web.url).get(SESSION)).toBe(session);
});

// Promises: provider-states-the-time, approver-by-groups-anew
test.each<[what: string, claims: () => Record<string, unknown>]>([
  ['does not state the time', () => ({})],
  ['states the time as text', () => ({ auth_time: String(nowS()) })],
  ['authenticated long before', () => ({ auth_time: nowS() - 120 })],
  ['states a time that is still to come', () => ({ auth_time: nowS() + 120 })],
  ['names no approving group any more', () => ({ auth_time: nowS(), groups: ['finance team'] })],
  ['names another person', () => ({ auth_time: nowS(), sub: 'subject-2', preferred_username: 'bob@example.com' })],
])('a new sign-in proves nothing when the provider %s', async (_what, claims) => {
  const { web, anew } = await openAnew();
  const { status, text } = await anew(claims());
  expect(status).toBe(403);
  expect(text).toMatch(/Nothing was approved\.|was not one that this console believes/);
  // The session stays valid.
  if (text.includes('Nothing was approved.')) expect(text).not.toContain('You are not signed in');
  expect(web.proofs).toEqual([]);
});

test('an answer without the session in which the sign-in began proves nothing', async () => {
  const { web, anew } = await openAnew();
  const { status } = await anew({ auth_time: nowS() }, () => web.sessions.clear());
  expect(status).toBe(403);
  expect(web.proofs).toEqual([]);
});
