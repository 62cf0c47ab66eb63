import { expect, test } from 'vitest';
import { makeTries } from '../../../src/console/sign-in/make-gate.ts';

const FEW = { ofNetwork: { atOnce: 3, backMs: 1_000 }, ofStrangers: { atOnce: 5, backMs: 100 }, most: 4 };

test('a network has a bounded number of tries at once and one more each second, independently of others', () => {
  const tries = makeTries(FEW);
  expect([1, 2, 3, 4, 5].map(() => tries.take(['a'], 0))).toEqual([0, 0, 0, 1, 1]);
  expect(tries.take(['b'], 0)).toBe(0);
  expect([tries.take(['a'], 1_000), tries.take(['a'], 1_000)]).toEqual([0, 1]);
  // A refused try does not prolong the wait.
  expect(tries.take(['a'], 2_000)).toBe(0);
});

// Promise: strangers-have-their-own-tries
test('by default a network has 60 tries at once and one a second, and all strangers have 400 and 100 a second', () => {
  const tries = makeTries();
  const passed = (count: number, nowMs: number, network: (number: number) => string) =>
    Array.from({ length: count }, (_one, number) => tries.take([network(number)], nowMs)).filter(
      (afterS) => afterS === 0,
    ).length;
  tries.know('office');
  expect([passed(100, 0, () => 'office'), passed(100, 5_000, () => 'office')]).toEqual([60, 5]);
  expect(passed(1_000, 5_000, (number) => `stranger ${number}`)).toBe(400);
  expect(passed(1_000, 6_000, (number) => `late ${number}`)).toBe(100);
});

// Promise: strangers-have-their-own-tries
test('the bound of all strangers does not affect a network from which somebody has signed in', () => {
  const tries = makeTries(FEW);
  tries.know('office');
  const strangers = Array.from({ length: 100 }, (_one, number) => tries.take([`stranger ${number}`], 0));
  expect(strangers.filter((afterS) => afterS === 0)).toHaveLength(5);
  expect([
    tries.take(['office'], 0),
    tries.take(['office'], 0),
    tries.take(['office'], 0),
    tries.take(['office'], 0),
  ]).toEqual([0, 0, 0, 1]);
  expect(tries.take(['late'], 100)).toBe(0);
});

test('a client with many networks is bounded by their wider networks, and leaves tries for other strangers', () => {
  const tries = makeTries({
    ...FEW,
    ofWider: [
      { atOnce: 4, backMs: 500 },
      { atOnce: 4, backMs: 250 },
    ],
    most: 100,
  });
  const passed = (groups: (number: number) => string[]) =>
    Array.from({ length: 50 }, (_one, number) => tries.take(groups(number), 0)).filter((afterS) => afterS === 0).length;
  expect(passed((number) => [`line ${number}`, 'block', 'provider'])).toBe(4);
  expect(tries.take(['line 1', 'another block', 'provider'], 0)).toBe(1);
  expect(tries.take(['office', 'another block', 'another provider'], 0)).toBe(0);
  // A known browser is no stranger in any network.
  expect(tries.take(['device 1'], 0, true)).toBe(0);
});

test('the networks seen longest ago are forgotten, so an attack does not fill the memory', () => {
  const tries = makeTries({ ...FEW, ofStrangers: { atOnce: 1e9, backMs: 1 } });
  for (let number = 0; number < 3; number += 1) tries.take(['a'], 0);
  expect(tries.take(['a'], 0)).toBe(1);
  for (const other of ['b', 'c', 'd', 'e']) tries.take([other], 0);
  expect(tries.take(['a'], 0)).toBe(0);
});
