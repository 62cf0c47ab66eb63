import { expect, test } from 'vitest';
import { faultOfRange, isLoopback, makeAddressSet, plainAddress } from '../src/addresses.ts';

test.each(['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
  '%s is a loopback address',
  (address) => {
    expect(isLoopback(address)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '::ffff:10.0.0.1',
  '127.0.0.1.example',
  '127.0.0.999',
  'localhost.example',
  '',
  undefined,
])('%s is no loopback address', (address) => {
  expect(isLoopback(address)).toBe(false);
});

test('an IPv4-mapped address is written as IPv4, and other addresses stay', () => {
  expect(plainAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(plainAddress('::ffff:a00:1')).toBe('::ffff:a00:1');
  expect(plainAddress('2001:db8::1')).toBe('2001:db8::1');
});

test.each<[string, string[], string[]]>([
  [
    '10.0.0.0/8',
    ['10.0.0.1', '10.255.255.255', '::ffff:10.1.2.3'],
    ['11.0.0.1', '127.0.0.1', '9.255.255.255', 'x', ''],
  ],
  ['192.168.1.7', ['192.168.1.7', '::ffff:192.168.1.7'], ['192.168.1.8']],
  ['2001:db8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::1', '::1']],
  ['fe80::/10', ['fe80::1%eth0'], ['fd00::1']],
  ['loopback', ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'], ['10.0.0.1', '::2']],
])('the address set %s contains exactly its addresses', (range, inside, outside) => {
  const has = makeAddressSet(['203.0.113.1', range]);
  expect(inside.filter((address) => !has(address))).toEqual([]);
  expect(outside.filter((address) => has(address))).toEqual([]);
  expect(has(undefined)).toBe(false);
  expect(faultOfRange(range)).toBeUndefined();
});

test.each([
  ['proxy.example.com', 'neither an address nor a range'],
  ['10.0.0', 'neither an address nor a range'],
  ['/8', 'neither an address nor a range'],
  ['10.0.0.0/33', 'no prefix from 1 to 32'],
  ['10.0.0.0/', 'no prefix from 1 to 32'],
  ['10.0.0.0/255.0.0.0', 'no prefix from 1 to 32'],
  ['::1/129', 'no prefix from 1 to 128'],
  ['0.0.0.0/0', 'every address there is'],
  ['::/0', 'every address there is'],
])('the range %s is refused: %s', (entry, words) => {
  expect(faultOfRange(entry)).toContain(words);
});
