import { expect, test } from 'vitest';
import { openBareConsole } from '../../support/marked-console.ts';

const HEARD = '/gallery/q4/heard';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('a form of ours is heard, with its fields and who it is about', async () => {
  const { post } = await openBareConsole();
  const answer = await post('/gallery/q%204/heard', { why: '<b>' });
  expect(answer).toMatchObject({
    status: 200,
    text: expect.stringContaining('q 4 {&quot;why&quot;:&quot;&lt;b&gt;&quot;}'),
  });
});

// Promise: no-forms-of-other-sites
test('what was not sent from a page of ours does nothing: token, its cookie, origin and site must all be right', async () => {
  const { ask, credentials, url } = await openBareConsole();
  const { cookie, token } = await credentials();
  const tries: [Record<string, string>, string][] = [
    [{ origin: url, cookie }, ''],
    [{ origin: url, cookie }, '_csrf=wrong'],
    [{ origin: url }, `_csrf=${token}`],
    [{ origin: url, cookie: 'limitline_csrf_0=other' }, `_csrf=${token}`],
    [{ cookie }, `_csrf=${token}`],
    [{ origin: 'http://evil.example', cookie }, `_csrf=${token}`],
    [{ origin: url, cookie, 'sec-fetch-site': 'same-site' }, `_csrf=${token}`],
  ];
  for (const [headers, body] of tries) {
    const answer = await ask('POST', HEARD, { ...FORM, ...headers }, body);
    expect(answer).toMatchObject({ status: 403, text: expect.not.stringContaining('Heard') });
  }
  expect((await ask('POST', HEARD, { ...FORM, origin: url, cookie }, `_csrf=${token}`)).text).toContain('<h1>Heard');
  expect((await ask('GET', HEARD)).status).toBe(404);
});

test('a page that was opened while this address was the console of another account does nothing here', async () => {
  const { cookie, token } = await (await openBareConsole({ account: 'stand-in' })).credentials();
  const { ask, url } = await openBareConsole({ account: 'https://live.example' });
  const answer = await ask('POST', HEARD, { ...FORM, origin: url, cookie }, `_csrf=${token}`);
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('too old') });
});

test('what is too large, or of another kind, is refused in words', async () => {
  const { post, ask, credentials, url } = await openBareConsole();
  expect(await post(HEARD, { why: 'x'.repeat(300_000) })).toMatchObject({
    status: 413,
    text: expect.stringContaining('too large'),
  });
  const { cookie, token } = await credentials();
  const kind = { origin: url, cookie, 'csrf-token': token, 'content-type': 'application/xml' };
  expect((await ask('POST', HEARD, kind, '<a/>')).status).toBe(415);
});

test('a script that went wrong is stopped, and a person never', async () => {
  const { ask, credentials, url } = await openBareConsole();
  const { cookie, token } = await credentials();
  const statuses = new Set<number>();
  for (let sent = 0; sent < 620; sent += 20) {
    const some = Array.from({ length: 20 }, () =>
      ask('POST', HEARD, { ...FORM, origin: url, cookie }, `_csrf=${token}`),
    );
    for (const { status } of await Promise.all(some)) statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([200, 429]);
});
