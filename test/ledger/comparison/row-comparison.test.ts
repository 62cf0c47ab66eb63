import { expect, test } from 'vitest';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import { ROW_STATES, type RowProblem, type RowState } from '../../../src/ledger/schema/row.ts';
import { addedUp, keptLimits } from '../../support/added-up.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

type Ledger = ReturnType<typeof openLedger>;

const ENDS: readonly RowState[] = ['done', 'refused', 'queued', 'held', 'skipped', 'refused', 'done', 'limit'];

/** A portfolio of eight rows, in many states. */
async function openPortfolio(): Promise<Ledger> {
  const ledger = openLedger();
  const run = await ledger.portfolios.startImport('q4', { id: 'f', fileName: 'q4.csv', reading: '{}' });
  for (const [n, to] of ENDS.entries()) {
    const request = makeRequest({ limit: { requested_limit: `${n + 1}.5` } });
    await ledger.rows.put(rowOf(n), n + 2, '1', request);
    if (to === 'queued') continue;
    const record = { status: 'approved', total_limit: '4', available_limit: '3' };
    const meaning = to === 'held' ? 'unknown' : 'refused';
    const message =
      to === 'held' ? 'It is unknown whether it was made: reset' : 'The service refused it with status 400';
    const problem: RowProblem = { step: 'limit', message, ...(to === 'held' ? {} : { status: 400, body: 'no' }) };
    const failed = to === 'held' || to === 'refused';
    const fields = failed ? { problem, cause: causeOf(problem, meaning, request) } : { record };
    await ledger.rows.advance(rowOf(n), 'queued', to, fields);
  }
  await run.end();
  return ledger;
}

const rowOf = (n: number) => ({ portfolio: 'q4', key: `row-${n}` });

/** The stored sums and causes equal what the rows add up to, and each cause lists its rows. */
async function expectAgreement({ portfolios, rows, connection, keys }: Ledger): Promise<void> {
  const causes = await portfolios.causes('q4');
  const [state, found] = await Promise.all([portfolios.read('q4'), rows.read(ENDS.map((_, n) => rowOf(n)))]);
  const known = found.filter((row) => row !== undefined);
  const { limits, causes: expected, ...counts } = addedUp(known);
  expect(state).toMatchObject(counts);
  expect(keptLimits(state)).toEqual(limits);
  for (const name of ROW_STATES) expect(state.states[name]).toBe(known.filter((row) => row.state === name).length);
  expect(causes.map(({ id, rows: count, sum }) => ({ id, rows: count, sum }))).toEqual(
    expected.toSorted((one, other) => other.rows - one.rows),
  );
  for (const { id, rows: count } of causes) expect(await connection.zcard(keys.rowsOfCause('q4', id))).toBe(count);
}

/** Removes from rows and their portfolio what an older version did not write. */
async function makeOlder({ connection, keys, portfolios }: Ledger): Promise<void> {
  for (const { id } of await portfolios.causes('q4')) await connection.del(keys.rowsOfCause('q4', id));
  await connection.del(keys.sums('q4', 'a'), keys.sums('q4', 'b'), keys.causes('q4'));
  await connection.hdel(keys.portfolio('q4'), 'counted');
  for (const n of ENDS.keys()) await connection.hdel(keys.row('q4', `row-${n}`), 'tally', 'cause');
  await connection.del(keys.held);
}

// Promise: older-rows-enter-sums
test('rows of an older ledger enter the sums and causes when their portfolio is first read', async () => {
  const ledger = await openPortfolio();
  await makeOlder(ledger);
  // A row that moves before the first read enters at that move.
  await ledger.rows.begin(rowOf(2), 'company');
  await expectAgreement(ledger);
  const [cause] = await ledger.portfolios.causes('q4');
  expect(cause).toMatchObject({ rows: 2, words: 'no', status: 400, sum: '9.00' });
  // A held row is also listed for the desk, by the time at which it was held.
  const [held] = await ledger.rows.read([rowOf(3)]);
  const listed = await ledger.connection.zrange(ledger.keys.held, '0', '-1', 'WITHSCORES');
  expect(listed).toEqual(['q4/row-3', String(held?.updatedMs)]);
  expect(await ledger.portfolios.compare(['q4'])).toEqual([]);
});

test('concurrent readers of an older portfolio whose rows move all get the sums of all rows', async () => {
  const ledger = await openPortfolio();
  await makeOlder(ledger);
  const reads = Array.from({ length: 5 }, () => ledger.portfolios.read('q4'));
  await ledger.rows.advance(rowOf(7), 'limit', 'done', { record: { total_limit: '1' } });
  for (const { sums } of await Promise.all(reads)) expect(sums.inAllRows).toBe('40.00');
  await expectAgreement(ledger);
});

// Promises: night-compares-counts, search-indexes-mended
test.each<[string, (ledger: Ledger, cause: string) => Promise<unknown>, object[]]>([
  [
    'a changed sum',
    ({ connection, keys }) => connection.hincrby(keys.sums('q4', 'a'), 'sum:done:0', 7),
    [{ is: 'sums', rows: 8, names: ['done'] }],
  ],
  [
    'a sum that is not a number',
    async ({ connection, keys, rows }) => {
      await connection.hset(keys.sums('q4', 'a'), 'sum:queued:0', 'abc');
      // The damaged sum stops no move.
      expect(await rows.begin(rowOf(2), 'company')).toMatchObject({ state: 'company' });
    },
    [{ is: 'sums', rows: 8, names: ['queued'] }],
  ],
  [
    'missing sums',
    ({ connection, keys }) => connection.del(keys.sums('q4', 'a')),
    [
      {
        is: 'sums',
        rows: 8,
        names: expect.arrayContaining(['rows', 'granted approved', 'status approved', 'below approved']),
      },
    ],
  ],
  [
    'a row without its tally',
    ({ connection, keys }) => connection.hdel(keys.row('q4', 'row-0'), 'tally'),
    [
      { is: 'row', rows: 1 },
      { is: 'sums', rows: 8, names: expect.arrayContaining(['rows', 'done', 'granted approved']) },
    ],
  ],
  [
    'a row with a damaged tally',
    ({ connection, keys }) => connection.hset(keys.row('q4', 'row-2'), 'tally', 'what?'),
    [
      { is: 'row', rows: 1 },
      { is: 'sums', rows: 8, names: ['queued', 'rows'] },
    ],
  ],
  [
    'a row that is missing in the index of its state',
    ({ connection, keys }) => connection.zrem(keys.rowsInState('q4', 'queued'), 'row-2'),
    [{ is: 'state', rows: 1 }],
  ],
  [
    'a row that is also in another index, with another line',
    async ({ connection, keys }) => {
      await connection.zadd(keys.rowsInState('q4', 'held'), 9, 'row-2');
      await connection.zadd(keys.rowsInState('q4', 'queued'), 9, 'row-2');
    },
    [
      { is: 'state', rows: 1 },
      { is: 'index', rows: 1 },
    ],
  ],
  [
    'an index entry without a row',
    ({ connection, keys }) => connection.zadd(keys.rowsInState('q4', 'done'), 9, 'row-99'),
    [{ is: 'index', rows: 1 }],
  ],
  [
    'a cause without its list of rows',
    ({ connection, keys }, cause) => connection.del(keys.rowsOfCause('q4', cause)),
    [{ is: 'cause', rows: 2 }],
  ],
  ['missing causes', ({ connection, keys }) => connection.del(keys.causes('q4')), [{ is: 'cause', rows: 2 }]],
  [
    "a cause's list with rows that did not fail for it",
    ({ connection, keys }, cause) => connection.zadd(keys.rowsOfCause('q4', cause), 2, 'row-0', 5, 'row-3'),
    [{ is: 'index', rows: 2 }],
  ],
  [
    'a state that was changed by hand',
    ({ connection, keys }) => connection.hset(keys.row('q4', 'row-0'), 'state', 'cancelled'),
    [
      { is: 'state', rows: 1 },
      { is: 'index', rows: 1 },
      { is: 'row', rows: 1 },
    ],
  ],
])('the comparison finds, reports and corrects %s', async (_name, damage, expected) => {
  const ledger = await openPortfolio();
  const [{ id = '' } = {}] = await ledger.portfolios.causes('q4');
  await damage(ledger, id);
  expect(await ledger.portfolios.compare(['q4'])).toEqual(expected.map((one) => ({ portfolio: 'q4', ...one })));
  await expectAgreement(ledger);
  expect(await ledger.portfolios.compare(['q4'])).toEqual([]);
});

test('rows that move during two concurrent comparisons are not reported', async () => {
  const ledger = await openPortfolio();
  const { portfolios, rows } = ledger;
  let isOver = false;
  const moving = (async () => {
    for (let n = 0; !isOver; n = (n + 1) % ENDS.length) {
      const row = rowOf(n);
      const request = makeRequest({ limit: { requested_limit: `${n + 1}.5` } });
      const problem: RowProblem = { step: 'limit', message: 'The service refused it with status 400', status: 400 };
      await rows.requeue(row, 'refused');
      await rows.begin(row, 'company');
      await rows.advance(row, 'company', 'refused', { problem, cause: causeOf(problem, 'refused', request) });
    }
  })();
  for (let time = 0; time < 10; time += 1) {
    expect(await Promise.all([portfolios.compare(['q4']), portfolios.compare(['q4'])])).toEqual([[], []]);
  }
  isOver = true;
  await moving;
  await expectAgreement(ledger);
});

test('a comparison that was interrupted is completed by the next one', async () => {
  const ledger = await openPortfolio();
  const { connection, keys, rows, portfolios } = ledger;
  // Some rows are counted on the other side already, and then the process was killed.
  await connection.hset(keys.portfolio('q4'), 'side', 'b');
  await rows.put(rowOf(8), 10, '1', makeRequest());
  expect(await connection.exists(keys.sums('q4', 'a'), keys.sums('q4', 'b'))).toBe(2);
  expect((await portfolios.read('q4')).sums.inAllRows).toBe('1040.00');
  await connection.hincrby(keys.sums('q4', 'a'), 'rows', 1);
  expect(await portfolios.compare(['q4'])).toMatchObject([{ is: 'sums', names: ['rows'] }]);
  expect(await connection.exists(keys.sums('q4', 'a'))).toBe(0);
  expect((await portfolios.read('q4')).sums.inAllRows).toBe('1040.00');
});
