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

describe('with a certificate, on this machine alone', () => {
  test.each<Row>([
    ['by its name', '127.0.0.1', { host: 'localhost:3000' }, '127.0.0.1 https://localhost:3000'],
    ['from elsewhere', '192.168.1.7', { host: 'localhost:3000' }, 403],
    ['through a proxy', '127.0.0.1', { ...said, host: 'localhost:3000' }, 403],
  ])('%s', (_what, from, headers, expected) => {
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
    ['by a name that was made to lead here', '192.168.1.7', { host: 'evil.example' }, 421],
    ['by the name with a dot behind it', '192.168.1.7', { host: 'console.example.com.' }, 421],
    ['by the name with another port', '192.168.1.7', { host: 'console.example.com:3000' }, 421],
    ['by an address', '192.168.1.7', { host: '192.168.1.2' }, 421],
    ['by no name', '192.168.1.7', {}, 421],
    ['with a header of a proxy', '192.168.1.7', said, 403],
    ['with a header of a proxy on this machine', '127.0.0.1', said, 403],
  ])('%s', (_what, from, headers, expected) => {
    expect(answer(OUTSIDE, from, headers)).toBe(expected);
  });
});

describe('behind a proxy', () => {
  const named = (address: string) => `${address} https://console.example.com`;
  test.each<Row>([
    ['passed on', '10.0.0.5', said, named('203.0.113.9')],
    ['passed on from an IPv6 socket', '::ffff:10.0.0.5', said, named('203.0.113.9')],
    [
      'with all that proxies add',
      '10.0.0.5',
      { ...said, 'x-forwarded-host': host, 'x-forwarded-port': '443', via: '1.1 x', forwarded: 'for=1.2.3.4' },
      named('203.0.113.9'),
    ],
    ['by two of them', '10.0.0.5', { ...said, 'x-forwarded-for': '203.0.113.9, 10.0.1.7' }, named('203.0.113.9')],
    [
      'with an address that the client wrote itself',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '127.0.0.1, 10.0.0.9, 203.0.113.9' },
      named('203.0.113.9'),
    ],
    [
      'by another proxy behind which the client claims to be',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '1.2.3.4, 203.0.113.9, 10.0.1.7' },
      named('203.0.113.9'),
    ],
    ['from a proxy itself', '10.0.0.5', { ...said, 'x-forwarded-for': '10.0.0.9' }, named('10.0.0.9')],
    [
      'with the port behind the address',
      '10.0.0.5',
      { ...said, 'x-forwarded-for': '203.0.113.9:51000' },
      named('203.0.113.9'),
    ],
    ['from an IPv6 address', '10.0.0.5', { ...said, 'x-forwarded-for': '[2001:db8::9]:51000' }, named('2001:db8::9')],
    ['with no address', '10.0.0.5', { ...said, 'x-forwarded-for': '203.0.113.9, unknown' }, 403],
    ['with markup for an address', '10.0.0.5', { ...said, 'x-forwarded-for': '<script>' }, 403],
    ['without the header', '10.0.0.5', { host, 'x-forwarded-proto': 'https' }, 403],
    ['with RFC 7239 alone', '10.0.0.5', { host, forwarded: 'for=203.0.113.9;proto=https' }, 403],
    ['with nothing', '10.0.0.5', { host }, 403],
    ['by http', '10.0.0.5', { ...said, 'x-forwarded-proto': 'http' }, 403],
    ['by http on one of the ways', '10.0.0.5', { ...said, 'x-forwarded-proto': 'https, http' }, 403],
    ['without the scheme', '10.0.0.5', { host, 'x-forwarded-for': '203.0.113.9' }, 403],
    ['by another name', '10.0.0.5', { ...said, host: 'evil.example' }, 421],
    [
      'by another name, and ours beside it',
      '10.0.0.5',
      { ...said, host: 'evil.example', 'x-forwarded-host': host },
      421,
    ],
    ['by our name, and another beside it', '10.0.0.5', { ...said, 'x-forwarded-host': 'evil.example' }, 421],
    ['by a name of this machine', '10.0.0.5', { ...said, host: 'localhost:3000' }, 421],
    ['past the proxy', '203.0.113.9', { host }, 403],
    ['past the proxy, with its headers', '203.0.113.9', said, 403],
    ['past the proxy, from beside it', '10.0.1.8', said, 403],
    ['on this machine', '127.0.0.1', { host: 'localhost:3000' }, '127.0.0.1 http://localhost:3000'],
    ['on this machine, with headers of a proxy', '127.0.0.1', said, 403],
    ['on this machine, by our name', '127.0.0.1', { host }, 421],
  ])('%s', (_what, from, headers, expected) => {
    expect(answer(BEHIND, from, headers)).toBe(expected);
  });

  test.each<Row>([
    ['passed on', '127.0.0.1', said, named('203.0.113.9')],
    ['on this machine', '::1', { host: '[::1]:3000' }, '::1 http://[::1]:3000'],
    ['by the proxy, which does not say so', '127.0.0.1', { host }, 421],
    ['from elsewhere', '203.0.113.9', said, 403],
  ])('that is on this machine: %s', (_what, from, headers, expected) => {
    expect(answer(BESIDE, from, headers)).toBe(expected);
  });
});

describe('what is sent comes from a page of the origin that is asked', () => {
  test.each<[string, Reach, string, Record<string, string>, boolean]>([
    ['ours', OUTSIDE, '192.168.1.7', { host, origin: 'https://console.example.com' }, true],
    ['ours by http', OUTSIDE, '192.168.1.7', { host, origin: 'http://console.example.com' }, false],
    ['ours with a port', OUTSIDE, '192.168.1.7', { host, origin: 'https://console.example.com:3000' }, false],
    ['below ours', OUTSIDE, '192.168.1.7', { host, origin: 'https://x.console.example.com' }, false],
    ['none', OUTSIDE, '192.168.1.7', { host }, false],
    ['this machine, from elsewhere', OUTSIDE, '192.168.1.7', { host, origin: 'https://localhost:3000' }, false],
    ['this machine', OUTSIDE, '127.0.0.1', { host: 'localhost:3000', origin: 'https://localhost:3000' }, true],
    ['this machine by http', OUTSIDE, '127.0.0.1', { host: 'localhost:3000', origin: 'http://localhost:3000' }, false],
    ['ours, behind the proxy', BEHIND, '10.0.0.5', { ...said, origin: 'https://console.example.com' }, true],
    ['the name behind the proxy', BEHIND, '10.0.0.5', { ...said, origin: 'http://console.example.com' }, false],
    [
      'the proxy that says nothing',
      BESIDE,
      '127.0.0.1',
      { host: '127.0.0.1:3000', origin: 'https://console.example.com' },
      false,
    ],
  ])('%s', (_what, reach, from, headers, isLetIn) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer(reach, from, headers, method) !== 403).toBe(isLetIn);
    }
  });
});
