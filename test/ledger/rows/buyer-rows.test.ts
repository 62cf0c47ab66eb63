import { expect, test } from 'vitest';
import { bringsBack } from '../../../src/ledger/rows/buyer-rows.ts';
import { makeRequest, openLedger, toLimit } from '../../support/ledger.ts';

const row = { portfolio: 'q4', key: 'row-1' };
const BUYER = makeRequest().buyer;

test('the requests of a buyer are listed from all portfolios, each with the state of its limit', async () => {
  const { rows, calls, process } = openLedger();
  await process('a');
  const other = { portfolio: 'q3', key: 'row-2' };
  await rows.put(row, 2, '1', makeRequest());
  await rows.put(other, 3, '4', makeRequest({ limit: { requested_limit: '7' } }));
  await toLimit(rows, other);
  await calls.claim({ kind: 'limit', key: other.key, row: other, revision: '0' }, { owner: 'a/1', onUnknown: 'hold' });
  const found = (await rows.ofBuyers([BUYER, 'nobody'])).get(BUYER);
  expect(found?.count).toBe(2);
  expect(found?.rows).toEqual(
    expect.arrayContaining([
      { row, amount: '1000', importId: '1', state: 'queued', line: 2, limit: 'free', replaced: undefined },
      { row: other, amount: '7', importId: '4', state: 'limit', line: 3, limit: 'claimed', replaced: undefined },
    ]),
  );
  expect((await rows.ofBuyers(['nobody'])).get('nobody')).toEqual({ count: 0, rows: [], isWhole: true });
});

test('a single request is read by its row, with the row that replaced it', async () => {
  const { rows } = openLedger();
  await rows.put(row, 2, '1', makeRequest());
  const problem = { step: 'limit', message: 'replaced' } as const;
  const request = makeRequest({ limit: { requested_limit: '7' } });
  await rows.put({ portfolio: 'q4', key: 'row-2' }, 2, '2', request, '', { key: row.key, problem });
  expect(await rows.ofRow(row)).toMatchObject({ state: 'cancelled', replaced: { importId: '2', key: 'row-2' } });
  expect(await rows.ofRow({ portfolio: 'q4', key: 'row-3' })).toBeUndefined();
});

test('a buyer with very many requests is returned as a count only, unless all requests are asked for', async () => {
  const { rows, connection, keys } = openLedger();
  const amounts = Object.fromEntries(Array.from({ length: 1_000 }, (_none, n) => [`q4/old-${n}`, '1']));
  await connection.hset(keys.buyerRows(BUYER), amounts);
  expect((await rows.ofBuyers([BUYER])).get(BUYER)).toEqual({ count: 1_000, rows: [], isWhole: false });
  expect(await rows.wholeOf(BUYER)).toEqual({ count: 1_000, rows: [], isWhole: true });
  await rows.put(row, 2, '1', makeRequest());
  expect(await rows.wholeOf(BUYER)).toMatchObject({ count: 1_001, rows: [{ row, line: 2 }], isWhole: true });
  expect(await rows.wholeOf('nobody')).toEqual({ count: 0, rows: [], isWhole: true });
});

test('all requests of a buyer can be read in pages', async () => {
  const { rows, connection, keys } = openLedger();
  const names = Array.from({ length: 1_000 }, (_none, n) => `Q4 rest/row-${n}`);
  await connection.hset(keys.buyerRows(BUYER), Object.fromEntries(names.map((name) => [name, '1'])));
  const found = new Set<string>();
  for await (const page of rows.allOf(BUYER)) for (const { portfolio, key } of page) found.add(`${portfolio}/${key}`);
  expect([...found].sort()).toEqual([...names].sort());
  for await (const page of rows.allOf('nobody')) expect(page).toEqual([]);
});

test('a line revives a cancelled request unless another portfolio sends it or its limit was sent', () => {
  const givenUp = {
    row,
    amount: '1',
    state: 'cancelled',
    line: 2,
    importId: '1',
    limit: 'free',
    replaced: undefined,
  } as const;
  const elsewhere = { ...givenUp, row: { ...row, portfolio: 'q3' } };
  expect(bringsBack(row, [])).toBe(false);
  expect(bringsBack(row, [givenUp])).toBe(true);
  expect(bringsBack(row, [elsewhere])).toBe(true);
  expect(bringsBack(row, [givenUp, { ...elsewhere, state: 'refused' }])).toBe(true);
  expect(bringsBack(row, [givenUp, { ...elsewhere, state: 'queued' }])).toBe(false);
  expect(bringsBack(row, [{ ...givenUp, limit: 'unknown' }])).toBe(false);
});
