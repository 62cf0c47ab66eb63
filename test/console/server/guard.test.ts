import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { makeConsole } from '../../../src/console/console.ts';
import { lookAt } from '../../../src/console/server/guard.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { ANYBODY } from '../../support/desk.ts';
import { openBareConsole, STRIP } from '../../support/marked-console.ts';

const identify = async () => ANYBODY;

test.each(['0.0.0.0', '::', '192.168.1.7', 'console.example.com', '127.0.0.1.example.com', '127.0.0.999'])(
  'the console refuses to listen on %s, which other machines can reach',
  async (host) => {
    const made = makeConsole({
      host,
      port: 0,
      log: makeSilentLog(),
      strip: async () => STRIP,
      identify,
      pages: () => {},
    });
    await expect(made).rejects.toMatchObject({
      code: 'SETTINGS',
      message: expect.stringMatching(/which other machines can reach.*127\.0\.0\.1/),
    });
  },
);

test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])(
  'the console listens on %s, and answers there',
  async (host) => {
    const web = await makeConsole({
      host,
      port: 0,
      log: makeSilentLog(),
      strip: async () => STRIP,
      identify,
      pages: () => {},
    });
    await web.listen();
    const { status } = await fetch(`${web.url()}/nothing-there`);
    await web.close();
    expect([web.url(), status]).toEqual([expect.stringContaining(host), 404]);
  },
);

test('a port in use is refused, and the error names CONSOLE_PORT', async () => {
  const { port } = await openBareConsole();
  const other = await makeConsole({
    host: '127.0.0.1',
    port: Number(port),
    log: makeSilentLog(),
    strip: async () => STRIP,
    identify,
    pages: () => {},
  });
  await expect(other.listen()).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(new RegExp(`Port ${port} .* is taken.*CONSOLE_PORT`)),
  });
  await other.close();
});

// Promise: foreign-host-refused
test('only requests with a host name of this machine are answered, which prevents DNS rebinding', async () => {
  const { ask, port } = await openBareConsole();
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    `127.0.0.2:${port}`,
  ]) {
    expect((await ask('GET', '/keys', { host })).status).toBe(200);
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost',
    `localhost:${port}.evil.example`,
    `127.0.0.1.nip.io:${port}`,
    `localhost:${Number(port) + 1}`,
  ]) {
    const { status, text, headers } = await ask('GET', '/keys', { host });
    expect([host, status, headers['content-type']]).toEqual([host, 421, 'text/plain; charset=utf-8']);
    expect(text).not.toContain('<');
  }
  expect((await ask('GET', `http://evil.example/keys`, { host: `localhost:${port}` })).status).toBe(421);
});

test('a request with two Host headers is answered with status 400, even if both are the same', async () => {
  const { port } = await openBareConsole();
  for (const second of ['evil.example', `localhost:${port}`]) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /keys HTTP/1.1\r\nHost: localhost:${port}\r\nhost: ${second}\r\nConnection: close\r\n\r\n`);
    expect((await text(socket)).split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request');
  }
});

test.each([
  'X-Forwarded-For',
  'x-forwarded-host',
  'X-Forwarded-Proto',
  'X-FORWARDED-ANYTHING',
  'Forwarded',
  'Via',
  'X-Real-IP',
])('a request that came through a proxy is refused: %s', async (name) => {
  const { ask } = await openBareConsole();
  const answer = await ask('GET', '/keys', { [name]: '127.0.0.1' });
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('through a proxy') });
});

test('unknown methods are answered with status 405', async () => {
  const { ask } = await openBareConsole();
  for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'SEARCH']) {
    expect(await ask(method, '/keys')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
  }
  expect((await ask('HEAD', '/keys')).status).toBe(200);
});

describe('the check of a request’s origin', () => {
  const ours = { host: 'localhost:3000', origin: 'http://localhost:3000' };
  const asked = (method: string, headers: Record<string, string>, from = '127.0.0.1') => {
    const found = lookAt({ method, url: '/', headers: { host: 'localhost:3000', ...headers }, from, port: 3000 });
    return 'status' in found ? found.status : undefined;
  };

  test.each<[string, Record<string, string>, number | undefined]>([
    ['the console’s own page', { ...ours, 'sec-fetch-site': 'same-origin' }, undefined],
    ['the console’s own page in a browser without fetch metadata', ours, undefined],
    ['no origin', {}, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of this machine', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' }, 403],
    ['this machine by another name', { origin: 'http://127.0.0.1:3000' }, 403],
    ['https', { origin: 'https://localhost:3000' }, 403],
    ['the console’s origin, which the browser marks as cross-site', { ...ours, 'sec-fetch-site': 'cross-site' }, 403],
    ['an origin that begins like the console’s', { origin: 'http://localhost:3000.evil.example' }, 403],
  ])('a POST from %s is judged by its origin', (_who, headers, status) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(asked(method, headers)).toBe(status);
  });

  test.each<[string, Record<string, string>, number | undefined]>([
    ['a typed address', { 'sec-fetch-site': 'none' }, undefined],
    ['a program', {}, undefined],
    [
      'a link elsewhere',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      undefined,
    ],
    [
      'a frame elsewhere',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      403,
    ],
    [
      'a script elsewhere',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      403,
    ],
    ['another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
  ])('a GET from %s is judged by its fetch metadata', (_who, headers, status) => {
    for (const method of ['GET', 'HEAD']) expect(asked(method, headers)).toBe(status);
  });

  test('a request from another machine is refused', () => {
    expect(asked('GET', {}, '192.168.1.7')).toBe(403);
    expect(asked('GET', {}, '::ffff:127.0.0.1')).toBeUndefined();
  });
});
