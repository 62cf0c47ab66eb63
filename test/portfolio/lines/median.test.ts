import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeMedian } from '../../../src/portfolio/lines/median.ts';

function medianOf(amounts: readonly number[], keeps = 3) {
  const median = makeMedian({ keeps });
  for (const [place, amount] of amounts.entries()) median.add(place + 2, amount);
  return median;
}

describe('makeMedian', () => {
  test('names amounts from a thousand times the median on, and counts them', () => {
    const median = medianOf([100, 100_000, 100, 99_999, 250_000, 100, 100]);
    expect(median.above(1_000)).toEqual([
      { line: 3, amount: 100_000, times: 1_000, median: 100 },
      { line: 6, amount: 250_000, times: 2_500, median: 100 },
    ]);
    expect(median.countAbove(1_000)).toBe(2);
  });

  test('takes the middle of two', () => {
    expect(medianOf([1, 2, 4, 10_000]).above(1_000)).toMatchObject([{ line: 5, median: 3 }]);
  });

  test('says nothing of two amounts, which have no usual size, and of none', () => {
    for (const amounts of [[], [1], [1, 1_000_000]]) {
      const median = medianOf(amounts);
      expect({ above: median.above(1_000), count: median.countAbove(1_000) }).toEqual({ above: [], count: 0 });
    }
  });

  test('keeps the largest, and counts the others', () => {
    const median = medianOf([...Array.from({ length: 20 }, () => 1), 5_000, 7_000, 6_000, 9_000, 8_000]);
    expect(median.above(1_000).map(({ line }) => line)).toEqual([23, 25, 26]);
    expect(median.countAbove(1_000)).toBe(5);
  });

  test('is near the truth for files of any length, and finds the same lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 50 }),
        (amounts) => {
          const many = Array.from({ length: 101 }, () => amounts).flat();
          while (many.length < 5_000) many.push(...many);
          const sorted = many.toSorted((a, b) => a - b);
          const truth = sorted[sorted.length >> 1] ?? 0;
          // An amount that is far above any.
          const [found] = medianOf([...many, 1e16], 1).above(1);
          expect(found?.line).toBe(many.length + 2);
          expect(Math.abs((found?.median ?? 0) - truth)).toBeLessThanOrEqual(truth * 0.02 + 0.01);
        },
      ),
      { numRuns: 50 },
    );
  });
});
