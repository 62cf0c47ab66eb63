import { expect, test } from 'vitest';
import { openBareConsole } from '../../support/marked-console.ts';

const HEARD = '/gallery/q4/heard';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('a form with a valid token reaches its handler with fields and parameters', async () => {
  const { post } = await openBareConsole();
  const answer = await post('/gallery/q%204/heard', { why: '<b>' });
  expect(answer).toMatchObject({
    status: 200,
    text: expect.stringContaining('q 4 {&quot;why&quot;:&quot;&lt;b&gt;&quot;}'),
  });
});

// Promise: no-forms-of-other-sites
test('a request with a wrong token, cookie, origin or site is refused with status 403', async () => {
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
  expect((await ask('GET', HEARD)).status).toBe(302);
});

test('a form of another account’s console at the same address is refused as too old', async () => {
  const { cookie, token } = await (await openBareConsole({ account: 'stand-in' })).credentials();
  const { ask, url } = await openBareConsole({ account: 'https://live.example' });
  const answer = await ask('POST', HEARD, { ...FORM, origin: url, cookie }, `_csrf=${token}`);
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('too old') });
});

test('a too large form and a wrong content type are refused with status 413 and 415', async () => {
  const { post, ask, credentials, url } = await openBareConsole();
  expect(await post(HEARD, { why: 'x'.repeat(300_000) })).toMatchObject({
    status: 413,
    text: expect.stringContaining('too large'),
  });
  const { cookie, token } = await credentials();
  const kind = { origin: url, cookie, 'csrf-token': token, 'content-type': 'application/xml' };
  expect((await ask('POST', HEARD, kind, '<a/>')).status).toBe(415);
});

test('more than 600 requests in a burst are answered with status 429', async () => {
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
