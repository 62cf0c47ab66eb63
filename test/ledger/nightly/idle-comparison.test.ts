import fc from 'fast-check';
import { expect, test } from 'vitest';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import { makeCompareIdle } from '../../../src/ledger/nightly/idle-comparison.ts';
import { type Ask, makeRowWalk, WALKED_STATES } from '../../../src/ledger/nightly/row-walk.ts';
import type { RowProblem } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

type Ledger = ReturnType<typeof openLedger>;

const ask: Ask = (command) => command();

/** What one walk over the rows reports about the stored sums and indexes; `meanwhile` runs before its last row. */
async function lookAt({ connection, keys }: Ledger, meanwhile: () => Promise<unknown> = async () => {}) {
  const look = await makeCompareIdle({ connection, keys })('q4', { ask, isSearched: true });
  const walk = makeRowWalk({ connection, keys });
  for (const state of WALKED_STATES) {
    if (state === WALKED_STATES.at(-1)) await meanwhile();
    for await (const page of walk({ portfolio: 'q4', state, ask })) for (const row of page) look.add(row, state);
  }
  return look.end();
}

const rowOf = (n: number) => ({ portfolio: 'q4', key: `row-${n}` });

const amount = fc.oneof(
  fc.constantFrom('0', '0.00', '0.5', '?', '99999999.99', '100000000', '7.', '-5', '1e21', '25e-4'),
  fc.stringMatching(/^[1-9]\d{0,7}(\.\d{1,2})?$/),
  fc.stringMatching(/^\d{1,30}(\.\d{1,12})?$/),
);
const status = fc.oneof(
  fc.constantFrom('approved', '', '?', 'a|b', 'a\0b', 'é'.repeat(50), 'é'.repeat(51)),
  fc.string(),
);
const record = fc.record({ total_limit: amount, available_limit: amount, status }, { requiredKeys: [] });
const end = fc.constantFrom('queued', 'company', 'done', 'skipped', 'refused', 'held', 'cancelled' as const);
const name = fc.oneof(fc.constantFrom('Müller & Söhne', 'ACME', '北京'), fc.string({ maxLength: 40 }));

/** A row with an available limit that is no number, which random rows rarely have. */
const UNREADABLE = {
  requested: '1',
  record: { available_limit: '?' },
  end: 'done',
  name: 'ACME',
  number: null,
} as const;

test('the stored sums and indexes of any rows are found to match them', async () => {
  const row = fc.record({ requested: amount, record, end, name, number: fc.option(fc.string({ maxLength: 9 })) });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 9 }), async (all) => {
      const ledger = openLedger();
      for (const [n, { requested, record: granted, end: to, name: buyer, number }] of all.entries()) {
        const limit = {
          requested_limit: requested,
          ...(number === null ? {} : { company_registration_number: number }),
        };
        const request = makeRequest({ name: buyer, limit });
        await ledger.rows.put(rowOf(n), n + 2, '1', request);
        if (to === 'queued') continue;
        const problem: RowProblem = { step: 'limit', message: 'The service refused it with status 400', status: 400 };
        const failed = to === 'refused' || to === 'held';
        const fields = failed
          ? { problem, cause: causeOf(problem, 'refused', request) }
          : { record: granted, limit: `bl_${n}` };
        await ledger.rows.begin(rowOf(n), 'company');
        if (to !== 'company') await ledger.rows.advance(rowOf(n), 'company', to, fields);
      }
      expect(await lookAt(ledger)).toBe('as the rows are');
    }),
    { numRuns: 40, examples: [[[UNREADABLE, UNREADABLE]]] },
  );
});

/** Six rows in three states. */
async function sixRows(): Promise<Ledger> {
  const ledger = openLedger();
  const run = await ledger.portfolios.startImport('q4', { id: 'f', fileName: 'q4.csv', reading: '{}' });
  for (let n = 0; n < 6; n += 1) {
    const request = makeRequest({ limit: { requested_limit: `${n + 1}.5`, company_registration_number: `HRB ${n}` } });
    await ledger.rows.put(rowOf(n), n + 2, run.number, request);
    const problem: RowProblem = { step: 'limit', message: 'The service refused it with status 400', status: 400 };
    if (n % 3 === 1) {
      await ledger.rows.advance(rowOf(n), 'queued', 'refused', {
        problem,
        cause: causeOf(problem, 'refused', request),
      });
    }
    if (n % 3 === 2) {
      await ledger.rows.advance(rowOf(n), 'queued', 'done', {
        limit: `bl_${n}`,
        record: { status: 'approved', total_limit: '4' },
      });
    }
  }
  await run.end();
  return ledger;
}

/** The first key of the portfolio with this name that holds something. */
async function keyOf({ connection, keys }: Ledger, what: string): Promise<string> {
  const all = await connection.keys(`${keys.portfolio('q4').replace(/[[\]*?]/g, '\\$&')}:${what}:*`);
  const [first] = all.toSorted();
  if (first === undefined) throw new Error(`nothing is kept as ${what}`);
  return first;
}

test.each<[string, (ledger: Ledger) => Promise<unknown>]>([
  ['a sum', ({ connection, keys }) => connection.hincrby(keys.sums('q4', 'a'), 'sum:done:0', 7)],
  ['a count without rows', ({ connection, keys }) => connection.hset(keys.sums('q4', 'a'), 'status:lost', 1)],
  ["a row's tally", ({ connection, keys }) => connection.hset(keys.row('q4', 'row-0'), 'tally', 'a|queued|9')],
  ["a row's state", ({ connection, keys }) => connection.hset(keys.row('q4', 'row-2'), 'state', 'limit')],
  ["a row's line", ({ connection, keys }) => connection.hset(keys.row('q4', 'row-2'), 'line', 99)],
  ['an index without a row', ({ connection, keys }) => connection.zrem(keys.rowsInState('q4', 'queued'), 'row-0')],
  [
    'an index entry without a row',
    ({ connection, keys }) => connection.zadd(keys.rowsInState('q4', 'done'), 9, 'row-9'),
  ],
  ['an unreadable request', ({ connection, keys }) => connection.hset(keys.row('q4', 'row-0'), 'request', '{')],
  ["a cause's list of rows", async (ledger) => ledger.connection.zadd(await keyOf(ledger, 'cause'), 9, 'row-0')],
  ['a list of causes', ({ connection, keys }) => connection.del(keys.causes('q4'))],
  ['a name index', ({ connection, keys }) => connection.zadd(keys.names('q4'), 0, 'other\0row-0')],
  ['an index of changes', ({ connection, keys }) => connection.zadd(keys.changed('q4'), 0, 'row-0')],
  ['an id index', async (ledger) => ledger.connection.del(await keyOf(ledger, 'ids'))],
  ['a column index', async (ledger) => ledger.connection.zadd(await keyOf(ledger, 'column'), 'XX', 77, 'row-0')],
])('the walk reports a difference for %s that does not match the rows', async (_what, damage) => {
  const ledger = await sixRows();
  expect(await lookAt(ledger)).toBe('as the rows are');
  await damage(ledger);
  expect(await lookAt(ledger)).toBe('differs');
});

test('a portfolio in which a row moves during the walk is reported as "moved"', async () => {
  const ledger = await sixRows();
  expect(await lookAt(ledger, () => ledger.rows.begin(rowOf(0), 'company'))).toBe('moved');
  expect(await lookAt(ledger)).toBe('as the rows are');
});
