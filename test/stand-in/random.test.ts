import { expect, test } from 'vitest';
import { makeRandom } from '../../src/stand-in/random.ts';

const draw = (seed: number, count: number) => Array.from({ length: count }, makeRandom(seed));

test('the same seed gives the same numbers, another seed others', () => {
  expect(draw(7, 20)).toEqual(draw(7, 20));
  expect(draw(7, 20)).not.toEqual(draw(8, 20));
});

test('the numbers are spread evenly from 0 to 1', () => {
  const tenths = new Map<number, number>();
  for (const number of draw(1, 10_000))
    tenths.set(Math.floor(number * 10), (tenths.get(Math.floor(number * 10)) ?? 0) + 1);
  expect([...tenths.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(Math.min(...tenths.values())).toBeGreaterThan(900);
});
