import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DigestTableOptions, digestOf, makeDigestTable } from '../../../src/portfolio/identity/digest.ts';

const digest = (n: number) => digestOf(String(n));

describe.each<DigestTableOptions>([{}, { bits: 68 }])('a table of digests with %o', (options) => {
  test('finds all values of a digest in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 9_000 }), (numbers) => {
        const [ours, known] = [makeDigestTable(options), new Map<number, number[]>()];
        for (const [place, n] of numbers.entries()) {
          ours.add(digest(n), place);
          known.set(n, [...(known.get(n) ?? []), place]);
        }
        for (const n of [...known.keys(), 9_001]) {
          expect(ours.has(digest(n))).toBe(known.has(n));
          expect(ours.find(digest(n), 1_000)).toEqual(known.get(n) ?? []);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('addOnce adds an unknown digest, and returns the first value of a known one', () => {
    const table = makeDigestTable(options);
    for (let n = 0; n < 3_000; n += 1) expect(table.addOnce(digest(n), n)).toBeUndefined();
    for (let n = 0; n < 3_000; n += 1) expect(table.addOnce(digest(n), 9_000 + n)).toBe(n);
    table.add(digest(1), 7);
    expect(table.addOnce(digest(1), 8)).toBe(1);
    expect(table.find(digest(1), 9)).toEqual([1, 7]);
  });

  test('finds at most as many values as asked for', () => {
    const table = makeDigestTable(options);
    for (let value = 0; value < 20; value += 1) table.add(digest(1), value);
    expect(table.find(digest(1), 3)).toEqual([0, 1, 2]);
  });

  test('keeps digests of one slot apart, and finds the digest without any bit', () => {
    const table = makeDigestTable(options);
    const alike = ['AAAAAAAAAAAAAAAA', 'AAAAAAAAABAAAAAA', 'AAAAAAAA_AAAAAAA'];
    for (const [value, one] of alike.entries()) table.add(one, value);
    expect(alike.map((one) => table.find(one, 9))).toEqual([[0], [1], [2]]);
    expect(table.has('AAAAAAAAACAAAAAA')).toBe(false);
  });
});

test('a table without values still knows its digests', () => {
  const set = makeDigestTable({ keepsValues: false });
  for (let n = 0; n < 9_000; n += 1) set.add(digest(n), 0);
  for (let n = 0; n < 9_000; n += 1) expect(set.has(digest(n))).toBe(true);
  for (let n = 9_000; n < 18_000; n += 1) expect(set.has(digest(n))).toBe(false);
});
