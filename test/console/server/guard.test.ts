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
  'the console does not listen on %s, which others reach',
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

test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('it listens on %s, and answers there', async (host) => {
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
});

test('a port that is taken is named, with what to do', async () => {
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
test('only a host name of this machine is answered, so that no other name can be made to lead here', async () => {
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

test('a request with two names of the host is answered with 400, however alike they are', async () => {
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
])('nothing that came through a proxy is answered: %s', async (name) => {
  const { ask } = await openBareConsole();
  const answer = await ask('GET', '/keys', { [name]: '127.0.0.1' });
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('through a proxy') });
});

test('methods that the console does not know are not allowed', async () => {
  const { ask } = await openBareConsole();
  for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'SEARCH']) {
    expect(await ask(method, '/keys')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
  }
  expect((await ask('HEAD', '/keys')).status).toBe(200);
});

describe('who may ask', () => {
  const ours = { host: 'localhost:3000', origin: 'http://localhost:3000' };
  const asked = (method: string, headers: Record<string, string>, from = '127.0.0.1') => {
    const found = lookAt({ method, url: '/', headers: { host: 'localhost:3000', ...headers }, from, port: 3000 });
    return 'status' in found ? found.status : undefined;
  };

  test.each<[string, Record<string, string>, number | undefined]>([
    ['our page', { ...ours, 'sec-fetch-site': 'same-origin' }, undefined],
    ['our page in a browser that says no site', ours, undefined],
    ['no origin', {}, 403],
    ['no origin of ours', { origin: 'null' }, 403],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of this machine', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' }, 403],
    ['this machine by another name', { origin: 'http://127.0.0.1:3000' }, 403],
    ['https', { origin: 'https://localhost:3000' }, 403],
    ['an origin of ours that the browser says is none', { ...ours, 'sec-fetch-site': 'cross-site' }, 403],
    ['an origin that begins like ours', { origin: 'http://localhost:3000.evil.example' }, 403],
  ])('posting from %s', (_who, headers, status) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(asked(method, headers)).toBe(status);
  });

  test.each<[string, Record<string, string>, number | undefined]>([
    ['by hand', { 'sec-fetch-site': 'none' }, undefined],
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
  ])('reading from %s', (_who, headers, status) => {
    for (const method of ['GET', 'HEAD']) expect(asked(method, headers)).toBe(status);
  });

  test('who is not on this machine is not answered, whatever they say', () => {
    expect(asked('GET', {}, '192.168.1.7')).toBe(403);
    expect(asked('GET', {}, '::ffff:127.0.0.1')).toBeUndefined();
  });
});
