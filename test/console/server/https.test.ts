import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { makeConsole } from '../../../src/console/console.ts';
import { localReach, type Reach, readReach } from '../../../src/console/server/reach.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openBareConsole, STRIP } from '../../support/marked-console.ts';
import { CERTIFICATE_PATH, TLS_KEY_PATH } from '../../support/tls-service.ts';

const HOST = 'console.example.com';
const TLS = { CONSOLE_TLS_CERT_FILE: CERTIFICATE_PATH, CONSOLE_TLS_KEY_FILE: TLS_KEY_PATH };
const PROXY = { CONSOLE_TRUST_PROXY: '127.0.0.5, 127.0.0.6' };
const SAID = { host: HOST, 'x-forwarded-proto': 'https' };

/** Sign-in is switched off here. It has its own tests (test/console/sign-in). */
const reachOf = (env: Record<string, string>): Reach => ({ ...realReachOf(env), signIn: false });

const realReachOf = (env: Record<string, string>): Reach =>
  readReach(readSettings({ env: { LIMITLINE_DATA: '/nowhere', CONSOLE_URL: `https://${HOST}`, ...env }, cwd: '/' }));

/** Sends a request by https, with any Host header. */
async function askSafely(
  port: string,
  path: string,
  { method = 'GET', ...headers }: Record<string, string>,
  body = '',
) {
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false, rejectUnauthorized: false });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

test('with a certificate the console serves https on this machine, and its address begins with https', async () => {
  const { url, port } = await openBareConsole({ reach: { ...localReach('127.0.0.1'), certificate: files() } });
  expect(url).toBe(`https://127.0.0.1:${port}`);
  const { status, headers } = await askSafely(port, '/keys', { host: `localhost:${port}` });
  expect([status, headers['strict-transport-security']]).toEqual([200, undefined]);
});

// Promise: browsers-told-https
test('answers under the public name have HSTS for two years with subdomains, and answers on loopback have none', async () => {
  const { url, port } = await openBareConsole({ reach: reachOf({ ...TLS, CONSOLE_HOST: '0.0.0.0' }) });
  expect(url).toBe(`https://${HOST}`);
  // A page, an unknown page, two refusals of the guard, and an invalid address.
  for (const [path, more] of [
    ['/keys', {}],
    ['/nothing', {}],
    ['/keys', { method: 'TRACE' }],
    ['/keys', { 'sec-fetch-site': 'cross-site' }],
    ['/%zz', {}],
  ] as const) {
    const { headers } = await askSafely(port, path, { host: HOST, ...more });
    const [, seconds] = /^max-age=(\d+); includeSubDomains$/.exec(headers['strict-transport-security'] ?? '') ?? [];
    expect(Number(seconds)).toBe(2 * 365 * 86_400);
  }
  const { headers } = await askSafely(port, '/keys', { host: `127.0.0.1:${port}` });
  expect(headers['strict-transport-security']).toBeUndefined();
  expect((await askSafely(port, '/keys', { host: 'evil.example' })).status).toBe(421);
});

// Promise: tls-versions
test('TLS 1.1 and plain http are refused', async () => {
  const { port, send } = await openBareConsole({ reach: { ...localReach('127.0.0.1'), certificate: files() } });
  for (const [version, isSpoken] of [
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ] as const) {
    // Without this level OpenSSL itself would not offer TLS 1.1.
    const ciphers = 'DEFAULT@SECLEVEL=0';
    const given = { host: '127.0.0.1', port: Number(port), minVersion: version, maxVersion: version, ciphers };
    const socket = connect({ ...given, rejectUnauthorized: false });
    const met = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    expect([version, met]).toEqual([version, isSpoken]);
  }
  expect(await send(`GET /keys HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).not.toMatch(/^HTTP\S* 200/);
});

test.each([
  ['ECDHE-ECDSA-AES256-SHA384', 'with MAC-then-encrypt', false],
  ['ECDHE-ECDSA-AES128-SHA', 'with CBC and SHA-1', false],
  ['ECDHE-ECDSA-AES256-GCM-SHA384', 'with an AEAD', true],
])('the TLS 1.2 suite %s, %s, is accepted: %s', async (ciphers, _what, isSpoken) => {
  const { port } = await openBareConsole({ reach: { ...localReach('127.0.0.1'), certificate: files() } });
  const given = { host: '127.0.0.1', port: Number(port), maxVersion: 'TLSv1.2' as const, ciphers };
  const socket = connect({ ...given, rejectUnauthorized: false });
  const met = await once(socket, 'secureConnect').then(
    () => socket.getCipher().name === ciphers,
    () => false,
  );
  socket.destroy();
  expect(met).toBe(isSpoken);
});

test('cookies are marked Secure when the page came by https', async () => {
  const { port } = await openBareConsole({ reach: reachOf(TLS) });
  expect((await askSafely(port, '/keys', { host: HOST })).headers['set-cookie']?.[0]).toMatch(/HttpOnly; Secure/);
  const behind = await openBareConsole({ reach: reachOf(PROXY) });
  const passed = await behind.ask('GET', '/keys', { ...SAID, 'x-forwarded-for': '203.0.113.9' }, '', '127.0.0.5');
  expect(passed.headers['set-cookie']?.[0]).toMatch(/HttpOnly; Secure/);
  expect(passed.headers['set-cookie']?.[0]).toMatch(/^__Host-limitline_csrf_/);
  const plain = await openBareConsole();
  expect((await plain.ask('GET', '/keys')).headers['set-cookie']?.[0]).toMatch(/^limitline_csrf_(?!.*Secure)/);
});

// Promises: asker-behind-proxy, foreign-host-refused
test('behind a proxy the client is the last address that is no proxy, and other senders of the header are refused', async () => {
  const seen: string[] = [];
  const { ask, port } = await openBareConsole({
    reach: reachOf(PROXY),
    pages: (app) => app.get('/who', async (request) => seen.push(`${request.ip} ${request.ips} ${request.origin}`)),
  });
  const from = (address: string, chain: string, headers = {}) =>
    ask('GET', '/who', { ...SAID, 'x-forwarded-for': chain, ...headers }, '', address);
  expect((await from('127.0.0.5', '127.0.0.1, 198.51.100.1, 203.0.113.9, 127.0.0.6')).status).toBe(200);
  expect(seen).toEqual([`203.0.113.9 127.0.0.5,203.0.113.9 https://${HOST}`]);
  expect((await from('127.0.0.5', '203.0.113.9', { 'x-forwarded-proto': 'http' })).status).toBe(403);
  for (const address of ['127.0.0.1', '127.0.0.7']) {
    expect((await from(address, '203.0.113.9')).text).toContain('is accepted only from a proxy');
  }
  expect((await ask('GET', '/who', { host: HOST }, '', '127.0.0.5')).status).toBe(421);
  expect((await ask('GET', '/who', { host: `localhost:${port}` }, '', '127.0.0.1')).status).toBe(200);
  expect(seen).toHaveLength(2);
  expect(seen[1]).toContain(`127.0.0.1 127.0.0.1 http://localhost:${port}`);
});

test('the console does not listen beyond loopback without sign-in or a readable certificate', async () => {
  const given = { port: 0, log: makeSilentLog(), strip: async () => STRIP, pages: () => {} };
  await expect(makeConsole({ ...given, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'SETTINGS' });
  const outside = realReachOf({ ...TLS, CONSOLE_HOST: '0.0.0.0' });
  await expect(makeConsole({ ...given, host: '0.0.0.0', reach: outside })).rejects.toThrow(/no way to sign in/);
  const certificate = { ...files(), keyFile: '/nowhere/key.pem' };
  const reach = { ...localReach('127.0.0.1'), certificate };
  await expect(makeConsole({ ...given, host: '127.0.0.1', reach })).rejects.toThrow(
    /CONSOLE_TLS_KEY_FILE cannot be read/,
  );
});

const files = () => ({ certFile: CERTIFICATE_PATH, keyFile: TLS_KEY_PATH });
