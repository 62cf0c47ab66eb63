import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressGroup, addressGroups } from '../../../src/people/sign-in/address-group.ts';

describe('the group of an address', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002:0:0:0:1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1:2:3:4%eth0', 'fe80:0:0:0::/64'],
    ['command line on host', 'command line on host'],
    ['', ''],
  ])('of %j is %j', (from, group) => {
    expect(addressGroup(from)).toBe(group);
  });

  test.each([
    ['192.0.2.7', ['192.0.2.0/24']],
    ['::ffff:192.0.2.7', ['192.0.2.0/24']],
    ['2001:db8:1:2ff:3::4', ['2001:db8:1:200::/56', '2001:db8:1:0::/48']],
    ['2001:db8:1:3ff::', ['2001:db8:1:300::/56', '2001:db8:1:0::/48']],
    ['command line on host', []],
  ])('of %j lies in the wider groups %j', (from, wider) => {
    expect(addressGroups(from).slice(1)).toEqual(wider);
  });

  test('is the same for all addresses of one /64 network, and different for another one', () => {
    const address = (line: bigint, host: bigint) =>
      Array.from({ length: 8 }, (_, place) =>
        (((place < 4 ? line : host) >> BigInt(16 * (3 - (place % 4)))) & 0xffffn).toString(16),
      ).join(':');
    const some = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(some, some, some, (line, one, other) => {
        expect(addressGroup(address(line, one))).toBe(addressGroup(address(line, other)));
        const next = line ^ 1n;
        expect(addressGroup(address(next, one))).not.toBe(addressGroup(address(line, one)));
      }),
    );
  });

  test('has a bounded length', () => {
    expect(addressGroup('x'.repeat(100_000))).toHaveLength(100);
  });
});
