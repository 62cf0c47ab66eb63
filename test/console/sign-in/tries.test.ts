import { expect, test } from 'vitest';
import { networkOf } from '../../../src/console/sign-in/hold-tries.ts';
import { makeTries } from '../../../src/console/sign-in/tries.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8:1::9', '2001:db8:1:0'],
  ['2001:0db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('tries from %s are counted for %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

const FEW = { ofNetwork: { atOnce: 3, backMs: 1_000 }, ofStrangers: { atOnce: 5, backMs: 100 }, most: 4 };

test('a network has so many tries in one go, and one more each second, whatever others do', () => {
  const tries = makeTries(FEW);
  expect([1, 2, 3, 4, 5].map(() => tries.take('a', 0))).toEqual([0, 0, 0, 1, 1]);
  expect(tries.take('b', 0)).toBe(0);
  expect([tries.take('a', 1_000), tries.take('a', 1_000)]).toEqual([0, 1]);
  // Whoever is told to wait does not wait longer for having asked.
  expect(tries.take('a', 2_000)).toBe(0);
});

test('strangers have a part of their own, which keeps out nobody of a network from which somebody signed in', () => {
  const tries = makeTries(FEW);
  tries.know('office');
  const strangers = Array.from({ length: 100 }, (_one, number) => tries.take(`stranger ${number}`, 0));
  expect(strangers.filter((afterS) => afterS === 0)).toHaveLength(5);
  expect([tries.take('office', 0), tries.take('office', 0), tries.take('office', 0), tries.take('office', 0)]).toEqual([
    0, 0, 0, 1,
  ]);
  expect(tries.take('late', 100)).toBe(0);
});

test('networks that were not heard of for longest are forgotten, so that an attack fills no memory', () => {
  const tries = makeTries({ ...FEW, ofStrangers: { atOnce: 1e9, backMs: 1 } });
  for (let number = 0; number < 3; number += 1) tries.take('a', 0);
  expect(tries.take('a', 0)).toBe(1);
  for (const other of ['b', 'c', 'd', 'e']) tries.take(other, 0);
  expect(tries.take('a', 0)).toBe(0);
});
