import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestNumber } from '../../../src/portfolio/identity/digest-number.ts';
import { makeDigestTable } from '../../../src/portfolio/identity/digest-table.ts';

const digestOf = (n: number) => hash('sha256', String(n), 'base64url').slice(0, 16);
const markOf = (n: number) => digestNumber(digestOf(n));

test('a table of digests finds what it was given, in order, as a map of lists does', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 9_000 }), (numbers) => {
      const [ours, known] = [makeDigestTable(), new Map<number, number[]>()];
      for (const [place, n] of numbers.entries()) {
        ours.add(markOf(n), place);
        known.set(n, [...(known.get(n) ?? []), place]);
      }
      for (const n of [...known.keys(), 9_001]) expect(ours.has(markOf(n))).toBe(known.has(n));
      for (const n of [...known.keys(), 9_001]) expect(ours.find(markOf(n), 1_000)).toEqual(known.get(n) ?? []);
    }),
    { numRuns: 20 },
  );
});

test('and no more of one digest than it is asked for', () => {
  const table = makeDigestTable();
  for (let value = 0; value < 20; value += 1) table.add(markOf(1), value);
  expect(table.find(markOf(1), 3)).toEqual([0, 1, 2]);
});
