import { expect, test } from 'vitest';
import { findOtherRequests } from '../../../jobs/rows/other-requests.ts';
import type { BuyerRow, BuyerRows } from '../../../src/ledger/rows/buyer-rows.ts';
import type { FoundRow } from '../../../src/ledger/search/row-filter.ts';

const rowOf = (key: string, buyer: string): FoundRow => {
  const request = { buyer, limit: { requested_limit: '5' } };
  return { row: { portfolio: 'q4', key }, result: { line: 2, importId: '1', request } as FoundRow['result'] };
};

const requestOf = (key: string, more: Partial<BuyerRow> = {}): BuyerRow => ({
  row: { portfolio: 'q4', key },
  amount: '5',
  state: 'refused',
  line: 2,
  importId: '1',
  limit: 'free',
  replaced: undefined,
  ...more,
});

const isWhole = true;

/** The ledger's rows of each buyer, of which `whole` is read completely. */
function readFrom(buyers: Record<string, BuyerRow[]>, whole: Record<string, BuyerRow[]> = {}) {
  const of = (rows: BuyerRow[] = [], isAll = isWhole): BuyerRows => ({ count: rows.length, rows, isWhole: isAll });
  return {
    ofBuyers: async (some: readonly string[]) => new Map(some.map((one) => [one, of(buyers[one], !whole[one])])),
    wholeOf: async (one: string) => of(whole[one]),
  };
}

// Promise: retry-names-other-requests
test('rows of one request in several portfolios do not count as other requests', async () => {
  const elsewhere = requestOf('a', { row: { portfolio: 'q3', key: 'a' }, state: 'done' });
  const find = (...others: BuyerRow[]) => findOtherRequests([[rowOf('a', 'acme')]], {}, readFrom({ acme: others }));
  expect(await find(requestOf('a'), elsewhere)).toBeUndefined();
  expect(await find(requestOf('b'), requestOf('c', { state: 'cancelled' }))).toBeUndefined();
  for (const state of ['done', 'held', 'queued', 'awaiting', 'skipped'] as const)
    expect(await find(requestOf('b', { state }))).toMatchObject({ rows: 1, first: [{ other: { state } }] });
});

test('all requests of a buyer are read if the first ones decide nothing', async () => {
  const rows = readFrom({ acme: [requestOf('a')] }, { acme: [requestOf('a'), requestOf('z', { state: 'done' })] });
  const pages = [[rowOf('a', 'acme')]];
  expect(await findOtherRequests(pages, {}, rows)).toMatchObject({
    rows: 1,
    first: [{ other: { row: { key: 'z' } } }],
  });
});

// Promise: retry-names-other-requests
test('the number of rows is marked as inexact above 10,000 rows or after the time limit', async () => {
  const page = Array.from({ length: 6_000 }, (_, at) => rowOf(`${at}`, 'acme'));
  const rows = readFrom({ acme: [requestOf('z', { state: 'done' })] });
  expect(await findOtherRequests([page], {}, rows)).toMatchObject({ rows: 6_000, isExact: true });
  const found = await findOtherRequests([page, page, page], {}, rows);
  expect(found).toMatchObject({ rows: 12_000, isExact: false });
  expect(found?.first).toHaveLength(5);
  expect(await findOtherRequests([page, page], { untilMs: 0 }, rows)).toMatchObject({ rows: 6_000, isExact: false });
});
