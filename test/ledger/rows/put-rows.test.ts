import { expect, test } from 'vitest';
import { makeForesight } from '../../../src/ledger/rows/put-rows.ts';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger, toLimit } from '../../support/ledger.ts';

const OF = { portfolio: 'q4', number: '1', generation: 0, approval: undefined };

/** New rows from line `from` on, each of another buyer. */
function newRows(count: number, { from = 2, ...changes }: Partial<RowRequest> & { from?: number } = {}) {
  return Array.from({ length: count }, (_, place) => {
    const line = from + place;
    const limit = { requested_limit: `${line}.50`, company_registration_number: `HRB ${line}` };
    const request = makeRequest({ name: `Name ${line}`, buyer: `buyer-${line}`, limit, ...changes });
    return { key: `row-${line}`, line, request, seen: 0 };
  });
}

test('new rows that are added in one batch are stored like rows that are added one by one', async () => {
  const [together, alone] = [openLedger(), openLedger()];
  const rows = [
    ...newRows(150),
    ...newRows(2, { from: 200, companyId: 'company_7' }).map((row) => ({ ...row, statements: '2025-12-31' })),
  ];
  expect(await together.rows.putNew(OF, rows)).toEqual(rows.map(() => true));
  for (const { key, line, request, ...more } of rows) {
    expect(await alone.rows.put({ portfolio: 'q4', key }, line, '1', request, 0, more)).toBe('added');
  }
  const read = async ({ portfolios, rows: ledgerRows }: typeof together) => {
    const found = await ledgerRows.read(rows.map(({ key }) => ({ portfolio: 'q4', key })));
    return [await portfolios.read('q4'), found.map((row) => ({ ...row, updatedMs: 0, sinceMs: 0 }))];
  };
  expect(await read(together)).toEqual(await read(alone));
  expect(await together.portfolios.compare(['q4'])).toEqual([]);
  const buyers = rows.map(({ request }) => request.buyer);
  expect(await together.rows.ofBuyers(buyers)).toEqual(await alone.rows.ofBuyers(buyers));
});

test.each([
  [
    'exists already',
    ({ rows }) => rows.put({ portfolio: 'q4', key: 'row-3' }, 9, '1', makeRequest({ buyer: 'other' })),
  ],
  [
    'was made in another portfolio',
    ({ connection, keys }) => connection.hset(keys.call('limit', 'row-3'), 'state', 'made'),
  ],
  [
    'has a buyer with more requests than were known',
    ({ connection, keys }) => connection.hset(keys.buyerRows('buyer-3'), 'q3/x', '7'),
  ],
] as [string, (ledger: ReturnType<typeof openLedger>) => Promise<unknown>][])(
  'a row that %s is left to the slow path, and the others are added',
  async (_why, prepare) => {
    const ledger = openLedger();
    await prepare(ledger);
    const { connection, keys, rows } = ledger;
    const before = await connection.hgetall(keys.row('q4', 'row-3'));
    expect(await rows.putNew(OF, newRows(3))).toEqual([true, false, true]);
    expect(await connection.hgetall(keys.row('q4', 'row-3'))).toEqual(before);
    expect(await ledger.portfolios.compare(['q4'])).toEqual([]);
  },
);

test('a row given twice is added once, and not again after a lost reply', async () => {
  const { rows, portfolios } = openLedger();
  const row = newRows(1);
  expect(await rows.putNew(OF, [...row, ...row])).toEqual([true, false]);
  expect(await rows.putNew(OF, row)).toEqual([false]);
  expect((await portfolios.read('q4')).states.queued).toBe(1);
});

test('no row is added for an import from before a cancellation, or with an approval that is not open', async () => {
  const { rows, connection, keys } = openLedger();
  expect(await rows.putNew({ ...OF, approval: 'gone' }, newRows(2))).toEqual([false, false]);
  await connection.hset(keys.portfolio('q4'), 'cancels', 1);
  expect(await rows.putNew(OF, newRows(2))).toEqual([false, false]);
  expect(await connection.keys(keys.row('q4', '*'))).toEqual([]);
});

test('a preview reads in order what the ledger knows about lines that are not imported', async () => {
  const ledger = openLedger();
  const { rows, calls, process } = ledger;
  const row = { portfolio: 'q4', key: 'row-1' };
  await process('a');
  await rows.put(row, 2, '1', makeRequest());
  await toLimit(rows, row);
  const ask = { owner: 'a/1', onUnknown: 'hold' } as const;
  await calls.claim({ kind: 'limit', key: row.key, row, revision: '0', asked: 'this' }, ask);
  await calls.settle({ kind: 'company', key: 'b', row }, 'a/2', { id: 'company_1', record: {}, buyer: 'b' });
  const foresee = makeForesight(ledger);
  expect(
    await foresee([
      { row: { ...row, key: 'row-2' }, buyer: 'stranger' },
      { row, buyer: 'b' },
    ]),
  ).toEqual([
    { state: '', request: '', limit: '', asked: '', isDeclined: false, company: '', companyHeader: '' },
    {
      state: 'limit',
      request: JSON.stringify(makeRequest()),
      limit: 'claimed',
      asked: expect.stringMatching(/^[\w-]{16}$/),
      isDeclined: false,
      company: 'made',
      companyHeader: '',
    },
  ]);
  expect(await foresee([])).toEqual([]);
});
