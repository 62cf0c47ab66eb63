import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeEventListener } from '../../src/events/make-listener.ts';
import { makeSilentLog } from '../../src/log.ts';
import { PATH, posted, SECRET, startListener } from '../support/event-listener.ts';

const KEPT = 'HTTP/1.1 200 OK {"status":"kept"}\n';
const NOT_FOUND = 'HTTP/1.1 404 Not Found {"error":"not found"}\n';

describe('an event', () => {
  // Promise: event-kept-to-the-byte
  test.each([
    ['is JSON', '{"limit":"buyer_limit_1"}', ['Content-Type: application/json']],
    ['is broken JSON', '{"limit": ', ['Content-Type: application/json']],
    ['is empty', '', ['Content-Type: application/json']],
    ['has no type', 'anything', []],
    ['has an invalid type', 'anything', ['Content-Type: ;;;']],
    ['has two types', 'anything', ['Content-Type: a/b', 'Content-Type: c/d']],
    [
      'is compressed',
      gzipSync('{"limit":"buyer_limit_1"}'),
      ['Content-Encoding: gzip', 'Content-Type: application/json'],
    ],
    ['is a form with files', '--x\r\n\r\nfile', ['Content-Type: multipart/form-data; boundary=x']],
    ['is binary', Buffer.from([0, 255, 254, 13, 10, 128]), ['Content-Type: text/plain; charset=utf-8']],
    ['has __proto__ in it', '{"__proto__":{"a":1}}', ['Content-Type: application/json']],
    ['has an unknown expectation', 'anything', ['Expect: a-reply']],
    ['asks for an upgrade', 'anything', ['Connection: Upgrade', 'Upgrade: websocket']],
  ])('that %s is kept byte for byte', async (_is, body, headers) => {
    const { ask, kept } = await startListener();
    const beforeMs = Date.now();
    expect(await ask(posted(body, headers))).toBe(KEPT);
    expect(kept.map((event) => event.body.toString('hex'))).toEqual([Buffer.from(body).toString('hex')]);
    expect(kept[0]?.atMs).toBeGreaterThanOrEqual(beforeMs);
  });

  test('in chunks without a length is joined', async () => {
    const { ask, kept } = await startListener();
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await ask(`${head}4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n`)).toBe(KEPT);
    expect(kept[0]?.body.toString()).toBe('Wikipedia');
  });

  // Promise: proving-headers-not-kept
  test('is kept with its headers, except those with credentials and the secret in the address', async () => {
    const { ask, kept } = await startListener();
    const headers = [
      'X-Signature: t=1,v1=ab',
      'X-Twice: one',
      'X-Twice: two',
      `X-Forwarded-Uri: https://limits.example.com${PATH}?a=b`,
      'Authorization: Bearer hunter2',
      'Proxy-Authorization: Basic hunter2',
      'Cookie: session=hunter2',
      'X-Api-Key: hunter2',
      '__proto__: a',
    ];
    await ask(posted('{}', headers, `${PATH}?by=hunter2`));
    expect(kept.map((event) => Object.entries(event.headers))).toEqual([
      [
        ['host', 'x'],
        ['x-signature', 't=1,v1=ab'],
        ['x-twice', ['one', 'two']],
        ['x-forwarded-uri', 'https://limits.example.com/events/[secret]?a=b'],
        ['__proto__', 'a'],
        ['content-length', '2'],
      ],
    ]);
  });

  test('that was kept before is answered as kept', async () => {
    const { ask } = await startListener({ keep: async () => 'known' });
    expect(await ask(posted('{}'))).toBe(KEPT);
  });
});

describe('any other request', () => {
  // Promise: other-secrets-answered-alike
  test.each([
    ['another secret', posted('{}', [], `${PATH.slice(0, -1)}x`)],
    ['the beginning of the secret', posted('{}', [], PATH.slice(0, -1))],
    ['the secret with another character after it', posted('{}', [], `${PATH}x`)],
    ['a very long secret', posted('{}', [], `${PATH}${'x'.repeat(300)}`)],
    ['no secret', posted('{}', [], '/events/')],
    ['a path below the secret', posted('{}', [], `${PATH}/`)],
    ['an invalid path', posted('{}', [], '/events/%zz')],
    ['the secret without its folder', posted('{}', [], `http://x/${SECRET}`)],
    ['a GET', `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'another method',
      `PUT ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{x`,
    ],
    ['an unusual method', `PROPFIND ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a wrong secret with Expect: 100-continue', posted('', ['Expect: 100-continue'], '/events/x')],
    ['a wrong secret with a too large body', `POST /events/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n`],
  ])('is answered with the same status 404, and not kept: %s', async (_is, bytes) => {
    const { ask, kept, listener, lines } = await startListener();
    expect(await ask(bytes)).toBe(NOT_FOUND);
    expect(kept).toEqual([]);
    await listener.close();
    expect(JSON.stringify(lines)).not.toContain(SECRET.slice(0, 10));
  });

  test('has the same headers in its answer whether or not the address is similar', async () => {
    const { connect } = await startListener();
    const answers = ['/events/wrong-secret', '/nothing'].map(async (path) => {
      const client = await connect();
      client.write(posted('{}', [], path));
      await client.answers(1);
      return client.text().replace(/^date: .*$/im, '');
    });
    const [wrong, nothing] = await Promise.all(answers);
    expect(wrong).toBe(nothing);
  });
});

test('url() leaves out the secret, and a port in use is an error that names EVENTS_PORT', async () => {
  const { listener, port } = await startListener();
  expect(listener.url()).toBe(`http://127.0.0.1:${port}/events/…`);
  const second = makeEventListener({
    host: '127.0.0.1',
    port,
    secret: SECRET,
    maxBytes: 1,
    perSecond: 1,
    keep: async () => 'kept',
    log: makeSilentLog(),
  });
  await expect(second.listen()).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/^Events cannot be listened for at 127\.0\.0\.1 \d+ \(.*\): set EVENTS_PORT/),
  });
  await second.close();
});
