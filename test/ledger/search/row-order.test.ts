import { describe, expect, test } from 'vitest';
import type { RowFilter } from '../../../src/ledger/search/row-filter.ts';
import type { RowOrder } from '../../../src/ledger/search/row-order.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const PORTFOLIO = 'q4';
const OF = { portfolio: PORTFOLIO, number: '1', generation: 0, approval: undefined };
const rowAt = (line: number) => ({ portfolio: PORTFOLIO, key: `row-${line}` });

/** Rows at lines 2, 3 … with these amounts, or with larger gaps between the lines; every third is done. */
async function openRows(amounts: readonly string[], apart = 1) {
  const ledger = openLedger();
  const rows = amounts.map((amount, at) => ({
    key: `row-${at * apart + 2}`,
    line: at * apart + 2,
    request: makeRequest({ name: `Name ${at}`, buyer: `b-${at}`, limit: { requested_limit: amount } }),
    seen: 0,
  }));
  for (let from = 0; from < rows.length; from += 500) await ledger.rows.putNew(OF, rows.slice(from, from + 500));
  const done = rows.filter((_row, at) => at % 3 === 2);
  await Promise.all(
    done.map(({ line }) =>
      ledger.rows.advance(rowAt(line), 'queued', 'done', {
        limit: `bl_${line}`,
        record: { status: 'approved', total_limit: '200000' },
      }),
    ),
  );
  return ledger;
}

/** Every row of a filter in an order, read in pages of this size. */
async function allOf(
  { rows }: Awaited<ReturnType<typeof openRows>>,
  filter: RowFilter,
  order: RowOrder,
  count: number,
) {
  const found = [];
  let after: string | undefined;
  do {
    const page = await rows.page(PORTFOLIO, filter, { after, count, order });
    found.push(...page.found);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** Amounts of all sizes, many of them equal. */
const amountsOf = (count: number) =>
  Array.from({ length: count }, (_none, at) => (at % 4 === 0 ? '50000' : `${(at * 7919) % 100_003}.5`));

describe.each([
  ['with few rows, which are sorted', 120],
  ['with many rows, which an index lists', 1_200],
])('%s', (_what, count) => {
  // Promise: rows-sorted
  test('each row is listed once in each order, in pages, and the other direction is the reverse', async () => {
    const ledger = await openRows(amountsOf(count), 3);
    const filters: RowFilter[] = [
      {},
      { states: ['queued'] },
      { min: '40000', max: '60000' },
      { outcomes: ['approved'] },
    ];
    for (const filter of filters) {
      const byLine = new Set((await allOf(ledger, filter, 'line', 500)).map(({ row }) => row.key));
      expect(byLine.size).toBeGreaterThan(0);
      for (const [order, sortedBy] of [
        ['line', ({ result }) => result.line],
        ['amount', ({ result }) => Number(result.request.limit.requested_limit)],
        ['changed', ({ result }) => result.updatedMs],
      ] as [RowOrder, (found: Awaited<ReturnType<typeof allOf>>[number]) => number][]) {
        const up = await allOf(ledger, filter, order, 170);
        const down = await allOf(ledger, filter, `-${order}` as RowOrder, 170);
        const values = up.map(sortedBy);
        expect(values).toEqual(values.toSorted((one, other) => one - other));
        expect(new Set(up.map(({ row }) => row.key))).toEqual(byLine);
        expect(up).toHaveLength(byLine.size);
        expect(down.map(({ row }) => row.key)).toEqual(up.map(({ row }) => row.key).toReversed());
      }
    }
  });
});

test('a changed row moves to the end of the order by change, and the other orders stay', async () => {
  const { rows, connection } = await openRows(['3', '1', '2', '9']);
  const now = async () => {
    const [seconds = 0, microseconds = 0] = (await connection.time()).map(Number);
    return seconds * 1000 + Math.floor(microseconds / 1000);
  };
  const before = await now();
  await expect.poll(now).toBeGreaterThan(before);
  await rows.begin(rowAt(3), 'company');
  const keysIn = async (order: RowOrder) =>
    (await rows.page(PORTFOLIO, {}, { count: 9, order })).found.map(({ row }) => row.key);
  expect((await keysIn('-changed'))[0]).toBe('row-3');
  expect(await keysIn('-amount')).toEqual(['row-5', 'row-2', 'row-4', 'row-3']);
  expect(await keysIn('-line')).toEqual(['row-5', 'row-4', 'row-3', 'row-2']);
});

test('unreadable amounts sort before all others', async () => {
  const ledger = await openRows([...amountsOf(1_100), 'abc', '0.5', '1e3']);
  const [first, second, third] = await allOf(ledger, {}, 'amount', 100);
  expect([first, second].map((each) => each?.result.request.limit.requested_limit).toSorted()).toEqual(['1e3', 'abc']);
  expect(third?.result.request.limit.requested_limit).toBe('0.5');
});

test('search results can be sorted, and a filter can list given rows', async () => {
  const { rows } = await openRows(['3', '1', '2', '9']);
  const keysIn = async (filter: RowFilter, order?: RowOrder) =>
    (await rows.page(PORTFOLIO, filter, { count: 9, order })).found.map(({ row }) => row.key);
  expect(await keysIn({ text: 'name' }, 'amount')).toEqual(['row-3', 'row-4', 'row-2', 'row-5']);
  const chosen = { rows: ['row-5', 'row-3', 'none'] };
  expect(await keysIn(chosen)).toEqual(['row-3', 'row-5']);
  expect(await keysIn({ ...chosen, states: ['done'] })).toEqual([]);
});

test('a row has its neighbours in each order and filter', async () => {
  const { rows } = await openRows(['3', '1', '2', '9']);
  const beside = async (key: string, filter: RowFilter, order: RowOrder) => {
    const { before, behind } = await rows.beside(PORTFOLIO, key, { filter, order });
    return [before, behind];
  };
  expect(await beside('row-3', {}, 'line')).toEqual(['row-2', 'row-4']);
  expect(await beside('row-3', {}, '-line')).toEqual(['row-4', 'row-2']);
  expect(await beside('row-2', {}, 'amount')).toEqual(['row-4', 'row-5']);
  expect(await beside('row-5', {}, '-amount')).toEqual([undefined, 'row-2']);
  expect(await beside('row-3', { states: ['queued'] }, 'line')).toEqual(['row-2', 'row-5']);
  expect(await beside('row-4', { text: 'name' }, 'line')).toEqual(['row-3', 'row-5']);
  expect(await beside('none', {}, 'line')).toEqual([undefined, undefined]);
});

// Promise: older-rows-enter-sums
test('rows imported without the indexes are reported as missing in an order until a comparison adds them', async () => {
  const { connection, keys, rows, portfolios } = await openRows(amountsOf(1_200));
  await connection.del(keys.changed(PORTFOLIO));
  const page = () => rows.page(PORTFOLIO, {}, { count: 5, order: '-changed' });
  expect(await page()).toEqual({ found: [], unindexed: 1_200 });
  expect(await portfolios.compare([PORTFOLIO])).toEqual([{ portfolio: PORTFOLIO, is: 'search', rows: 1_200 }]);
  expect((await page()).found).toHaveLength(5);
});
