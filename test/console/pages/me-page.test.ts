import { expect, test } from 'vitest';
import { browserWords } from '../../../src/console/pages/me/me-view.ts';
import { addUser, auditOf, codeOf, makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';

const NEXT = 'four brown kettles sing at dawn';

async function openSignedIn(roles: Parameters<typeof addUser>[2] = ['viewer']) {
  const web = await openConsole(await openDesk(0));
  const user = await addUser(web, 'anna', roles);
  return { web, user, anna: await signIn(web, user) };
}

test('without users the account page redirects to the first page', async () => {
  const web = await openConsole(await openDesk(0));
  expect((await web.get('/me')).headers.get('location')).toBe('/');
});

// Promises: own-account-asks-password, token-changes-each-step
test('changing the password needs the old one, replaces the session token and ends all other sessions', async () => {
  const { web, user, anna } = await openSignedIn();
  const elsewhere = await signIn(web, user);
  const change = (fields: Record<string, string>) => anna.post('/me/password', fields);
  const wrong = await change({ old: 'wrong wrong wrong', password: NEXT, again: NEXT });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('is wrong')]);
  expect((await change({ old: PASSWORD, password: NEXT, again: 'x' })).text).toContain('The two passwords differ');
  expect((await change({ old: PASSWORD, password: 'anna', again: 'anna' })).text).toContain('12 or more');
  expect((await elsewhere.get('/me')).status, 'nothing was changed').toBe(200);
  const before = new Map(anna.cookies);
  expect((await change({ old: PASSWORD, password: NEXT, again: NEXT })).headers.get('location')).toBe(
    '/me?done=password',
  );
  expect((await anna.get('/me?done=password')).text).toContain('signed out everywhere else');
  expect((await elsewhere.get('/me')).status).toBe(303);
  const old = makeVisitor(web.url);
  for (const [name, value] of before) old.cookies.set(name, value);
  expect((await old.get('/me')).status, 'the token before').toBe(303);
  const words = (await auditOf(web)).map(({ what, is, facts }) => [what, is, facts]);
  expect(words).toContainEqual(['own password changed', 'done', expect.objectContaining({ status: 303 })]);
  expect(words).toContainEqual([
    'own password changed',
    'failed',
    expect.objectContaining({ status: 422, refused: true }),
  ]);
  expect(JSON.stringify(words)).not.toMatch(/kettles|trees/);
});

// Promise: own-account-asks-password
test('replacing the second factor needs password and code, and takes effect after a code of the new factor', async () => {
  const { web, user, anna } = await openSignedIn(['operator']);
  const [code = '', another = ''] = user.codes ?? [];
  expect((await anna.post('/me/factor', { old: 'wrong wrong wrong', code })).status).toBe(422);
  expect((await anna.post('/me/factor', { old: PASSWORD })).status, 'no code').toBe(422);
  expect((await anna.post('/me/factor', { old: PASSWORD, code: '000000' })).status, 'a wrong code').toBe(422);
  // A stolen session does not know the password, and never sees the secret.
  const early = await anna.post('/me/factor/confirm', { code: '000000' });
  expect([early.status, early.text]).toEqual([422, expect.not.stringContaining('factor-secret')]);
  const page = await anna.post('/me/factor', { old: PASSWORD, code: another });
  const secret = (/factor-secret"><code>([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
  expect(secret).not.toBe(user.secret);
  const wrong = await anna.post('/me/factor/confirm', { code: '000000' });
  expect([wrong.status, wrong.text]).toEqual([422, expect.not.stringContaining('factor-secret')]);
  const done = await anna.post('/me/factor/confirm', { code: codeOf(secret) });
  expect(done.text.match(/<li><code>/g)).toHaveLength(10);
  expect((await anna.get('/me')).status).toBe(200);
  const other = makeVisitor(web.url);
  await other.get('/sign-in');
  await other.post('/sign-in', { name: 'anna', password: PASSWORD, to: '/' });
  await other.get('/sign-in/code');
  expect((await other.post('/sign-in/code', { code: codeOf(user.secret), to: '/' })).status, 'the old app').toBe(403);
  const [recovery = ''] = /(?<=<li><code>)[^<]+/.exec(done.text) ?? [];
  expect((await other.post('/sign-in/code', { code: recovery, to: '/' })).status).toBe(303);
});

// Promise: own-account-asks-password
test('new recovery codes need password and code, and make the old codes invalid', async () => {
  const { web, user, anna } = await openSignedIn(['operator']);
  expect((await anna.post('/me/codes', { old: PASSWORD })).status).toBe(422);
  const made = await anna.post('/me/codes', { old: PASSWORD, code: user.codes?.[1] ?? '' });
  expect(made.text.match(/<li><code>/g)).toHaveLength(10);
  const other = makeVisitor(web.url);
  await other.get('/sign-in');
  await other.post('/sign-in', { name: 'anna', password: PASSWORD, to: '/' });
  await other.get('/sign-in/code?recovery=');
  const old = user.codes?.[0] ?? '';
  expect((await other.post('/sign-in/code', { code: old, recovery: 'yes', to: '/' })).status).toBe(403);
});

// Promise: own-account-asks-password
test('a user ends own sessions one by one or all others at once, and never those of another user', async () => {
  const { web, user, anna } = await openSignedIn();
  const [second, third] = [await signIn(web, user), await signIn(web, user)];
  const ben = await signIn(web, await addUser(web, 'ben', ['viewer']));
  const page = await anna.get('/me', { 'user-agent': 'x' });
  const ends = [...page.text.matchAll(/formaction="(\/me\/sessions\/[^"]+\/end)"/g)].map(([, path = '']) => path);
  expect([ends.length, page.text.match(/This one/g)?.length]).toEqual([2, 1]);
  expect(page.text).toContain('127.0.0.1');
  // Ben cannot end a session of Anna’s.
  await ben.get('/me');
  for (const path of ends) await ben.post(path, { old: PASSWORD });
  await ben.post('/me/sessions/end', { old: PASSWORD });
  expect((await second.get('/me')).status).toBe(200);
  await anna.get('/me');
  expect((await anna.post(ends[0] ?? '', { old: 'wrong wrong wrong' })).status, 'without the password').toBe(422);
  expect((await anna.post(ends[0] ?? '', { old: PASSWORD })).status).toBe(303);
  const statuses = async () => [(await second.get('/me')).status, (await third.get('/me')).status].sort();
  expect(await statuses()).toEqual([200, 303]);
  await anna.post('/me/sessions/end', { old: PASSWORD });
  expect(await statuses()).toEqual([303, 303]);
  expect([(await anna.get('/me')).status, (await ben.get('/me')).status]).toEqual([200, 200]);
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/140.0 Safari/604.1', 'Chrome on iOS'],
  ['curl/8.9', 'curl/8.9'],
  ['', 'not known'],
])('the user agent %s is shown as %s', (agent, words) => {
  expect(browserWords(agent)).toBe(words);
});
