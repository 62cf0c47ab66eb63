import { expect, test } from 'vitest';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { makeRows } from '../../../src/ledger/rows/rows.ts';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const PORTFOLIO = 'q4';

function requestOf(name: string, line: number): RowRequest {
  return makeRequest({
    name,
    buyer: `buyer ${line}`,
    limit: { requested_limit: String(line), company_registration_number: `HRB ${line}` },
  });
}

/** Sixty rows, half of them done, imported with the search indexes on or off. */
async function openRows({ isSearched = true } = {}) {
  const ledger = openLedger();
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: new AbortController().signal });
  const rows = makeRows({ ...ledger, retryUntilAnswered, canaryRefusals: 0, isSearched });
  for (let line = 2; line < 62; line += 1) {
    const row = { portfolio: PORTFOLIO, key: `row-${line}` };
    await rows.put(row, line, '1', requestOf(`Name ${line}`, line));
    if (line % 2 === 0)
      await rows.advance(row, 'queued', 'done', { limit: `bl_${line}`, record: { status: 'approved' } });
  }
  const keysOf = async (of: string | { status: string }) => {
    const { found } = await ledger.rows.page(PORTFOLIO, typeof of === 'string' ? { text: of } : of, { count: 50 });
    return found.map(({ row }) => row.key);
  };
  return { ...ledger, withOwnRows: rows, keysOf };
}

test('rows imported without search indexes are found after a comparison', async () => {
  const ledger = await openRows({ isSearched: false });
  const { rows, portfolios, withOwnRows, keysOf } = ledger;
  const page = await rows.page(PORTFOLIO, { text: 'name 7' }, { count: 9 });
  expect(page).toEqual({ found: [], unindexed: 60 });
  await expect(withOwnRows.page(PORTFOLIO, { text: 'name 7' }, { count: 9 })).rejects.toThrow('SEARCH_INDEX=off');
  // By line, state and status they are found without the indexes.
  expect(await keysOf('7')).toEqual(['row-7']);
  expect((await withOwnRows.page(PORTFOLIO, { text: '7' }, { count: 9 })).found).toHaveLength(1);
  expect(await keysOf({ status: 'approved' })).toHaveLength(30);

  const withoutSearch = makePortfolios({ ...ledger, isSearched: false });
  expect(await withoutSearch.compare([PORTFOLIO])).toEqual([]);
  expect(await portfolios.compare([PORTFOLIO])).toEqual([{ portfolio: PORTFOLIO, is: 'search', rows: 60 }]);
  expect(await keysOf('name 7')).toEqual(['row-7']);
  expect(await keysOf('bl_8')).toEqual(['row-8']);
  expect(await keysOf('hrb9')).toEqual(['row-9']);
  expect(await portfolios.compare([PORTFOLIO])).toEqual([]);
});

// Promise: search-indexes-mended
test('the comparison adds missing search index entries and removes wrong ones', async () => {
  const { connection, keys, portfolios, keysOf } = await openRows();
  expect(await portfolios.compare([PORTFOLIO])).toEqual([]);
  const all = await connection.keys('*');
  const own = (what: string) => all.filter((key) => key.startsWith(`${keys.portfolio(PORTFOLIO)}:${what}:`));
  expect(own('ids').length).toBeGreaterThan(4);
  for (const bucket of own('ids').slice(0, 3)) await connection.del(bucket);
  const [column = '', other = ''] = own('column');
  await connection.rename(column, keys.column(PORTFOLIO, '99', 0, ''));
  await connection.sadd(keys.columns(PORTFOLIO), '99 ');
  await connection.zrem(other, (await connection.zrange(other, '0', '0'))[0] ?? '');
  await connection.zadd(keys.names(PORTFOLIO), 0, 'old name\0row-3', 0, 'gone\0row-999');
  await connection.hset(keys.row(PORTFOLIO, 'row-5'), 'request', JSON.stringify(requestOf('Other', 500)));

  const found = new Map((await portfolios.compare([PORTFOLIO])).map(({ is, rows }) => [is, rows]));
  expect([...found.keys()]).toEqual(['row', 'search', 'entry']);
  expect(found.get('search')).toBeGreaterThan(2);
  expect(found.get('entry')).toBeGreaterThan(3);
  expect(await portfolios.compare([PORTFOLIO])).toEqual([]);
  expect(await keysOf('old name')).toEqual([]);
  expect(await keysOf('hrb 500')).toEqual(['row-5']);
  expect(await keysOf('hrb 5')).toEqual([]);
  expect(await connection.zcard(keys.names(PORTFOLIO))).toBe(60);
  for (let line = 6; line < 62; line += 2) expect(await keysOf(`bl_${line}`)).toEqual([`row-${line}`]);
});
