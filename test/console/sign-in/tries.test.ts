import { expect, test } from 'vitest';
import { makeTries } from '../../../src/console/sign-in/make-gate.ts';

const FEW = { ofNetwork: { atOnce: 3, backMs: 1_000 }, ofStrangers: { atOnce: 5, backMs: 100 }, most: 4 };

test('a network has so many tries in one go, and one more each second, whatever others do', () => {
  const tries = makeTries(FEW);
  expect([1, 2, 3, 4, 5].map(() => tries.take(['a'], 0))).toEqual([0, 0, 0, 1, 1]);
  expect(tries.take(['b'], 0)).toBe(0);
  expect([tries.take(['a'], 1_000), tries.take(['a'], 1_000)]).toEqual([0, 1]);
  // Whoever is told to wait does not wait longer for having asked.
  expect(tries.take(['a'], 2_000)).toBe(0);
});

// Promise: strangers-have-their-own-tries
test('as it stands a network has 60 tries at once and one a second, and all strangers 400 and a hundred a second', () => {
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
test('strangers have a part of their own, which keeps out nobody of a network from which somebody signed in', () => {
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

test('whoever has many networks is counted by the wider ones, and leaves the strangers their part', () => {
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
  // A browser in which somebody signed in is no stranger, wherever it is.
  expect(tries.take(['device 1'], 0, true)).toBe(0);
});

test('networks that were not heard of for longest are forgotten, so that an attack fills no memory', () => {
  const tries = makeTries({ ...FEW, ofStrangers: { atOnce: 1e9, backMs: 1 } });
  for (let number = 0; number < 3; number += 1) tries.take(['a'], 0);
  expect(tries.take(['a'], 0)).toBe(1);
  for (const other of ['b', 'c', 'd', 'e']) tries.take([other], 0);
  expect(tries.take(['a'], 0)).toBe(0);
});
