import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IndexedRow } from '../../../src/ledger/schema/row.ts';
import { pagesOf } from '../../../src/ledger/search/row-pages.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

/** An index in Redis' order: by line, then by key. */
function indexOf(rows: Map<string, number>) {
  return {
    async behind(portfolio: string, _state: string, { line, count }: { line: number; count: number }) {
      const found = [...rows].filter(([, at]) => at >= line);
      found.sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1));
      return found
        .slice(0, count)
        .map(([key, at]): IndexedRow => ({ row: { portfolio, key }, line: at, step: 'company' }));
    },
  };
}

test('each row that stays is listed once while other rows leave before and behind the current page', async () => {
  const line = fc.integer({ min: 2, max: 40 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, fc.boolean()), { maxLength: 1_600, size: 'max' }),
      fc.integer({ min: 1, max: 40 }),
      async (given, from) => {
        const rows = new Map(given.map(([at], place) => [`row-${place}`, at]));
        const leaving = given.flatMap(([, leaves], place) => (leaves ? [`row-${place}`] : []));
        const staying = [...rows.keys()].filter((key) => !leaving.includes(key) && (rows.get(key) ?? 0) >= from);
        const seen: string[] = [];
        for await (const page of pagesOf(indexOf(rows), 'q4', 'queued', { from })) {
          seen.push(...page.map(({ key }) => key));
          for (const key of leaving.splice(0, 7)) rows.delete(key);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((key) => staying.includes(key)).toSorted()).toEqual(staying.toSorted());
      },
    ),
    { numRuns: 60 },
  );
});

test('several rows of one line are found by that line', async () => {
  const { rows } = openLedger();
  for (const [key, at] of [
    ['a', 2],
    ['b', 3],
    ['c', 3],
    ['d', 4],
  ] as const)
    await rows.put({ portfolio: 'q4', key }, at, 'i', makeRequest());
  const pages = [];
  for await (const page of pagesOf(rows, 'q4', 'queued', { from: 3, to: 3 })) pages.push(page.map(({ key }) => key));
  expect(pages).toEqual([['b', 'c']]);
});
