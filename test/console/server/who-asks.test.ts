import { describe, expect, test } from 'vitest';
import { makeAddressSet } from '../../../src/addresses.ts';
import { lookAt } from '../../../src/console/server/guard.ts';
import { localReach, type Reach } from '../../../src/console/server/reach.ts';

const HOME = new URL('https://console.example.com');
const HTTPS: Reach = { ...localReach('127.0.0.1'), certificate: { certFile: '', keyFile: '' } };
const OUTSIDE: Reach = { ...HTTPS, host: '0.0.0.0', home: HOME, signIn: true };
const BEHIND: Reach = {
  ...localReach('127.0.0.1'),
  host: '0.0.0.0',
  home: HOME,
  isProxy: makeAddressSet(['10.0.0.0/24', '10.0.1.7']),
  signIn: true,
};
const BESIDE: Reach = { ...BEHIND, host: '127.0.0.1', isProxy: makeAddressSet(['loopback']) };

const host = 'console.example.com';
const said = { host, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
type Row = [string, string, Record<string, string>, number | string];

function answer(reach: Reach, from: string, headers: Record<string, string>, method = 'GET') {
  const found = lookAt({ method, url: '/', headers, from, port: 3000, reach });
  return 'status' in found ? found.status : `${found.address} ${found.origin}`;
}

describe('with a certificate, on this machine only', () => {
  test.each<Row>([
    ['by its name', '127.0.0.1', { host: 'localhost:3000' }, '127.0.0.1 https://localhost:3000'],
    ['from elsewhere', '192.168.1.7', { host: 'localhost:3000' }, 403],
    ['through a proxy', '127.0.0.1', { ...said, host: 'localhost:3000' }, 403],
  ])('lookAt() on this machine judges a request %s', (_what, from, headers, expected) => {
    expect(answer(HTTPS, from, headers)).toBe(expected);
  });
});

describe('with a certificate, on the network', () => {
  test.each<Row>([
    ['from anywhere', '192.168.1.7', { host }, '192.168.1.7 https://console.example.com'],
    ['on an IPv6 socket', '::ffff:192.168.1.7', { host }, '192.168.1.7 https://console.example.com'],
    [
      'with its port, in capitals',
      '192.168.1.7',
      { host: 'CONSOLE.example.com:443' },
      '192.168.1.7 https://console.example.com',
    ],
    ['on this machine', '127.0.0.1', { host: '127.0.0.1:3000' }, '127.0.0.1 https://127.0.0.1:3000'],
    ['from elsewhere by a name of this machine', '192.168.1.7', { host: 'localhost:3000' }, 421],
    ['by a foreign name that resolves to this machine', '192.168.1.7', { host: 'evil.example' }, 421],
    ['by the name with a dot behind it', '192.168.1.7', { host: 'console.example.com.' }, 421],
    ['by the name with another port', '192.168.1.7', { host: 'console.example.com:3000' }, 421],
    ['by an address', '192.168.1.7', { host: '192.168.1.2' }, 421],
    ['by no name', '192.168.1.7', {}, 421],
    ['with a header of a proxy', '192.168.1.7', said, 403],
    ['with a header of a proxy on this machine', '127.0.0.1', said, 403],
  ])('lookAt() on the network judges a request %s', (_what, from, headers, expected) => {
    expect(answer(OUTSIDE, from, headers)).toBe(expected);
  });
});

describe('behind a proxy', () => {
  const named = (address: string) => `${address} https://console.example.com`;
  test.each<Row>([
    ['that the proxy forwards', '10.0.0.5', said, named('203.0.113.9')],
    ['that the proxy forwards on an IPv6 socket', '::ffff:10.0.0.5', said, named('203.0.113.9')],
    [
      'with all headers that proxies add',
      '10.0.0.5',
      { ...said, 'x-forwarded-host': host, 'x-forwarded-port': '443', via: '1.1 x', forwarded: 'for=1.2.3.4' },
      named('203.0.113.9'),
    ],
    [
      'that two proxies forward',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '203.0.113.9, 10.0.1.7' },
      named('203.0.113.9'),
    ],
    [
      'with an address that the client wrote itself',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '127.0.0.1, 10.0.0.9, 203.0.113.9' },
      named('203.0.113.9'),
    ],
    [
      'through a second proxy, with an address that the client wrote itself',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '1.2.3.4, 203.0.113.9, 10.0.1.7' },
      named('203.0.113.9'),
    ],
    ['from a proxy itself', '10.0.0.5', { ...said, 'x-forwarded-for': '10.0.0.9' }, named('10.0.0.9')],
    [
      'with a port after the address',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '203.0.113.9:51000' },
      named('203.0.113.9'),
    ],
    ['from an IPv6 address', '10.0.0.5', { ...said, 'x-forwarded-for': '[2001:db8::9]:51000' }, named('2001:db8::9')],
    ['with an unknown address', '10.0.0.5', { ...said, 'x-forwarded-for': '203.0.113.9, unknown' }, 403],
    ['with markup instead of an address', '10.0.0.5', { ...said, 'x-forwarded-for': '<script>' }, 403],
    ['without X-Forwarded-For', '10.0.0.5', { host, 'x-forwarded-proto': 'https' }, 403],
    ['with RFC 7239’s header only', '10.0.0.5', { host, forwarded: 'for=203.0.113.9;proto=https' }, 403],
    ['without any header of the proxy', '10.0.0.5', { host }, 403],
    ['by http', '10.0.0.5', { ...said, 'x-forwarded-proto': 'http' }, 403],
    ['by http on one hop', '10.0.0.5', { ...said, 'x-forwarded-proto': 'https, http' }, 403],
    ['without the scheme', '10.0.0.5', { host, 'x-forwarded-for': '203.0.113.9' }, 403],
    ['by another name', '10.0.0.5', { ...said, host: 'evil.example' }, 421],
    [
      'by another name, with the public one in X-Forwarded-Host',
      '10.0.0.5',
      { ...said, host: 'evil.example', 'x-forwarded-host': host },
      421,
    ],
    [
      'by the public name, with another one in X-Forwarded-Host',
      '10.0.0.5',
      { ...said, 'x-forwarded-host': 'evil.example' },
      421,
    ],
    ['by a name of this machine', '10.0.0.5', { ...said, host: 'localhost:3000' }, 421],
    ['that bypasses the proxy', '203.0.113.9', { host }, 403],
    ['that bypasses the proxy, with its headers', '203.0.113.9', said, 403],
    ['that bypasses the proxy, from the same network', '10.0.1.8', said, 403],
    ['on this machine', '127.0.0.1', { host: 'localhost:3000' }, '127.0.0.1 http://localhost:3000'],
    ['on this machine, with headers of a proxy', '127.0.0.1', said, 403],
    ['on this machine, by the public name', '127.0.0.1', { host }, 421],
  ])('lookAt() behind a proxy judges a request %s', (_what, from, headers, expected) => {
    expect(answer(BEHIND, from, headers)).toBe(expected);
  });

  test.each<Row>([
    ['that the proxy forwards', '127.0.0.1', said, named('203.0.113.9')],
    ['on this machine', '::1', { host: '[::1]:3000' }, '::1 http://[::1]:3000'],
    ['from the proxy, without its headers', '127.0.0.1', { host }, 421],
    ['from elsewhere', '203.0.113.9', said, 403],
  ])('lookAt() behind a proxy on this machine judges a request %s', (_what, from, headers, expected) => {
    expect(answer(BESIDE, from, headers)).toBe(expected);
  });
});

describe('requests that change something', () => {
  test.each<[string, Reach, string, Record<string, string>, boolean]>([
    ['the public address', OUTSIDE, '192.168.1.7', { host, origin: 'https://console.example.com' }, true],
    ['the public address by http', OUTSIDE, '192.168.1.7', { host, origin: 'http://console.example.com' }, false],
    [
      'the public address with a port',
      OUTSIDE,
      '192.168.1.7',
      { host, origin: 'https://console.example.com:3000' },
      false,
    ],
    [
      'a subdomain of the public address',
      OUTSIDE,
      '192.168.1.7',
      { host, origin: 'https://x.console.example.com' },
      false,
    ],
    ['no origin', OUTSIDE, '192.168.1.7', { host }, false],
    ['this machine, sent from another one', OUTSIDE, '192.168.1.7', { host, origin: 'https://localhost:3000' }, false],
    ['this machine', OUTSIDE, '127.0.0.1', { host: 'localhost:3000', origin: 'https://localhost:3000' }, true],
    ['this machine by http', OUTSIDE, '127.0.0.1', { host: 'localhost:3000', origin: 'http://localhost:3000' }, false],
    [
      'the public address, behind the proxy',
      BEHIND,
      '10.0.0.5',
      { ...said, origin: 'https://console.example.com' },
      true,
    ],
    [
      'the public address by http, behind the proxy',
      BEHIND,
      '10.0.0.5',
      { ...said, origin: 'http://console.example.com' },
      false,
    ],
    [
      'the public address, forwarded without the proxy’s headers',
      BESIDE,
      '127.0.0.1',
      { host: '127.0.0.1:3000', origin: 'https://console.example.com' },
      false,
    ],
  ])('lookAt() judges a change sent from %s', (_what, reach, from, headers, isLetIn) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer(reach, from, headers, method) !== 403).toBe(isLetIn);
    }
  });
});
