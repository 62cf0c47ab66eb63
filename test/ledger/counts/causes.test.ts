import { expect, test } from 'vitest';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import type { RowProblem } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const REFUSED = 'The service refused the limit with status 400';

/** A ledger in which the rows from line 2 on fail, each with the given answer. */
async function failWith(answers: readonly { body: string; status?: number; amount?: string }[]) {
  const ledger = openLedger();
  for (const [n, answer] of answers.entries()) await fail(ledger, n, answer);
  return ledger;
}

async function fail(
  { rows }: Pick<ReturnType<typeof openLedger>, 'rows'>,
  n: number,
  { body, status = 400, amount = '10.50' }: { body: string; status?: number; amount?: string },
) {
  const row = rowOf(n);
  const request = makeRequest({ limit: { requested_limit: amount } });
  await rows.put(row, n + 2, 'i', request);
  const problem: RowProblem = { step: 'limit', message: REFUSED, status, body };
  await rows.advance(row, 'queued', 'refused', { problem, cause: causeOf(problem, 'refused', request) });
}

const rowOf = (n: number) => ({ portfolio: 'q4', key: `row-${n}` });

// Promise: one-cause-for-alike
test('rows that failed alike share one cause with their number and sum, largest first, listed by line', async () => {
  const { portfolios, rows, connection, keys } = await failWith([
    { body: 'too high' },
    { body: 'no such country', status: 422, amount: '7' },
    { body: 'too high', amount: '0.005' },
  ]);
  const causes = await portfolios.causes('q4');
  expect(causes).toEqual([
    {
      id: expect.any(String),
      step: 'limit',
      meaning: 'refused',
      status: 400,
      words: 'too high',
      rows: 2,
      sum: '10.505',
    },
    {
      id: expect.any(String),
      step: 'limit',
      meaning: 'refused',
      status: 422,
      words: 'no such country',
      rows: 1,
      sum: '7.00',
    },
  ]);
  const [{ id = '' } = {}] = causes;
  expect(await connection.zrange(keys.rowsOfCause('q4', id), '0', '-1')).toEqual(['row-0', 'row-2']);
  const [row] = await rows.read([rowOf(2)]);
  expect(row?.cause).toBe(id);
});

test('a requeued row leaves its cause, and a cause without rows is deleted', async () => {
  const { portfolios, rows, connection, keys } = await failWith([{ body: 'too high' }, { body: 'too high' }]);
  const [{ id = '' } = {}] = await portfolios.causes('q4');
  await rows.requeue(rowOf(0), 'refused');
  expect(await portfolios.causes('q4')).toMatchObject([{ id, rows: 1, sum: '10.50' }]);
  // Imported again unchanged, on another line.
  await rows.put(rowOf(1), 9, 'j', makeRequest({ limit: { requested_limit: '10.50' } }));
  expect(await portfolios.causes('q4')).toEqual([]);
  const [row] = await rows.read([rowOf(1)]);
  expect(row).toMatchObject({ state: 'queued', cause: undefined });
  expect(await connection.exists(keys.causes('q4'), keys.rowsOfCause('q4', id))).toBe(0);
});

test("a held row that is imported on another line has the new line in its cause's list", async () => {
  const { portfolios, rows, connection, keys } = openLedger();
  const request = makeRequest();
  await rows.put(rowOf(0), 2, 'i', request);
  const problem: RowProblem = { step: 'limit', message: 'It is unknown whether it was made: reset' };
  await rows.advance(rowOf(0), 'queued', 'held', { problem, cause: causeOf(problem, 'unknown', request) });
  expect(await rows.put(rowOf(0), 7, 'i', request)).toBe('ended');
  const [{ id = '' } = {}] = await portfolios.causes('q4');
  expect(await connection.zrange(keys.rowsOfCause('q4', id), '0', '-1', 'WITHSCORES')).toEqual(['row-0', '7']);
});

// Promise: at-most-200-causes
test('a portfolio stores 200 causes, and further failures are grouped by step and status only', async () => {
  const word = (n: number) =>
    `${'abcdefghij'[n % 10]}${'abcdefghij'[Math.floor(n / 10) % 10]}${'abcdef'[Math.floor(n / 100)]}`;
  const ledger = await failWith(Array.from({ length: 203 }, (_, n) => ({ body: `the rule ${word(n)} says no` })));
  const causes = await ledger.portfolios.causes('q4');
  expect(causes).toHaveLength(201);
  expect(causes[0]).toMatchObject({ step: 'limit', meaning: 'refused', status: 400, words: '', rows: 3, sum: '31.50' });
  // A known cause still counts rows with its words.
  await fail(ledger, 300, { body: `the rule ${word(5)} says no` });
  expect((await ledger.portfolios.causes('q4')).filter(({ rows }) => rows === 2)).toHaveLength(1);
});
