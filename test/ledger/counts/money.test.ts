import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountHead, BUCKETS, moneyLines, moneyOf } from '../../../src/ledger/counts/money.ts';
import type { outcomesOf } from '../../../src/ledger/counts/outcome-sums.ts';
import { ROW_OUTCOMES, type RowOutcome } from '../../../src/ledger/counts/row-outcome.ts';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import type { RowFilter } from '../../../src/ledger/search/row-filter.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';
import { file, lines } from '../../support/noted-lines.ts';

const OUTCOMES = Object.keys(ROW_OUTCOMES) as RowOutcome[];

const amounts = fc.oneof(
  fc.integer({ min: 0, max: 10 ** 9 }).map((cents) => (cents / 100).toFixed(2)),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map((units) => `${units}.${'0'.repeat(8)}1`),
);
const ends = fc.constantFrom('queued', 'company', 'refused', 'held', 'skipped', 'cancelled', 'done', 'replaced');
const rowsToEnd = fc.record({
  amount: amounts,
  to: ends,
  status: fc.constantFrom('approved', 'declined', 'under review', 'to be seen', ''),
  granted: fc.oneof(amounts, fc.constantFrom('', '0', 'later', 'all')),
});
const faulty = fc.record({
  kind: fc.constantFrom('invalid' as const, 'duplicate' as const),
  amount: fc.option(amounts),
});

const later = { importId: 'later', begun: '9' };

const plus = (texts: readonly string[]) => texts.reduce((sum, text) => sum.plus(text), new Big(0));

describe('in a portfolio with rows in any state', () => {
  // Promises: every-line-accounted-for, granted-only-where-approved, money-adds-up
  test('the money of a file adds up to the cent, and each count equals the rows that its link lists', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowsToEnd, { maxLength: 12 }),
        fc.array(faulty, { maxLength: 6 }),
        async (ended, left) => {
          const { portfolios, rows, statusMeanings } = openLedger({
            given: [
              ['declined', 'declined'],
              ['under review', 'review'],
            ],
          });
          const run = await portfolios.startImport('q4', file);
          for (const [n, { amount, to, status, granted }] of ended.entries()) {
            const row = { portfolio: 'q4', key: `row-${n}` };
            await rows.put(row, n + 2, run.number, makeRequest({ limit: { requested_limit: amount }, buyer: `b${n}` }));
            const given = granted === 'all' ? amount : granted;
            const record = { ...(status && { status }), ...(given && { total_limit: given }) };
            if (to === 'replaced') await rows.leaveOut(row, later, { step: 'limit', message: 'left out' });
            else if (to !== 'queued') await rows.advance(row, 'queued', to, { record });
          }
          const noted = left.map(({ kind, amount }, n): Parameters<typeof lines>[number] => {
            return [100 + n, { kind, message: 'x' }, '', amount ?? undefined];
          });
          await run.noteLines(lines(...noted));
          await run.end();

          const summary = await summarize('q4', { account: 'a', portfolios, statusMeanings });
          const { money, outcomes } = summary as NonNullable<typeof summary>;
          const asked = ended.filter(({ to }) => to !== 'replaced').map(({ amount }) => amount);
          const out = left.flatMap(({ amount }) => amount ?? []);
          expect(new Big(money.in_file.amount).eq(plus([...asked, ...out]))).toBe(true);
          expect(money.in_file.lines).toBe(asked.length + left.length);
          const { in_file: all, granted: _granted, currencies: _none, without_currency: _bare, ...buckets } = money;
          expect(new Big(all.amount).eq(plus(Object.values(buckets).map(({ amount = '' }) => amount)))).toBe(true);
          expect(all.lines).toBe(Object.values(buckets).reduce((sum, bucket) => sum + bucket.lines, 0));
          expect(money.left_out.without_amount ?? 0).toBe(left.length - out.length);
          expect(money.requested.amount).toBe(summary?.requested);
          expect(money.granted.amount).toBe(summary?.granted);
          // An amount beside any other status is not a granted limit.
          const approved = ended.flatMap(({ to, status, granted, amount }) =>
            to === 'done' && status === 'approved' ? (granted === 'all' ? amount : granted) : [],
          );
          expect(new Big(money.granted.amount).eq(plus(approved.filter((text) => /^\d/.test(text))))).toBe(true);
          for (const line of moneyLines(money, outcomes)) {
            if (line.outcomes.length === 0) continue;
            expect([line.words, await listed(rows, { outcomes: line.outcomes })]).toEqual([line.words, line.lines]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

async function listed(rows: ReturnType<typeof openLedger>['rows'], filter: RowFilter): Promise<number> {
  let found = 0;
  for await (const page of rows.all('q4', filter)) found += page.length;
  return found;
}

const none = Object.fromEntries(
  OUTCOMES.map((one) => [one, { rows: 0, requested: '0.00', granted: '0.00' }]),
) as ReturnType<typeof outcomesOf>;

test('each outcome belongs to one bucket', () => {
  expect(
    Object.values(BUCKETS)
      .flatMap(({ outcomes }) => [...outcomes])
      .sort(),
  ).toEqual([...OUTCOMES].sort());
});

test("the file's total is shown as a minimum if the invalid and duplicate lines have no sum", () => {
  const outcomes = { ...none, waiting: { rows: 2, requested: '5.00', granted: '0.00' } };
  const money = moneyOf({ invalid: 1, duplicate: 2, leftOut: undefined }, outcomes);
  expect(money.in_file).toEqual({ lines: 5, amount: '5.00', at_least: true });
  expect(money.left_out).toEqual({ lines: 3 });
  expect(moneyLines(money, outcomes).map(({ words, lines: count, amount }) => [words, count, amount])).toEqual([
    ['in the file, at least', 5, '5.00'],
    ['left out', 3, undefined],
    ['waiting', 2, '5.00'],
  ]);
});

test('a bucket is broken down by its outcomes if these are more specific than the bucket', () => {
  const one = { rows: 1, requested: '5.00', granted: '0.00' };
  const outcomes = { ...none, waiting: one, sending: one, rejected: one, approved: { ...one, granted: '5.00' } };
  const waits = { ...none, awaiting_approval: one };
  const told = moneyLines(moneyOf({ invalid: 0, duplicate: 0, leftOut: undefined }, waits), waits);
  expect(told.map(({ words, outcomes: of }) => [words, of])).toEqual([
    ['in the file, at least', []],
    ['waiting for approval', ['awaiting_approval']],
  ]);
  const money = moneyOf({ invalid: 0, duplicate: 0, leftOut: { amount: '0.00', bare: 0 } }, outcomes);
  expect(moneyLines(money, outcomes).map(({ level, words, granted }) => [level, words, granted])).toEqual([
    [0, 'in the file', undefined],
    [1, 'waiting', undefined],
    [2, 'not begun', undefined],
    [2, 'sending', undefined],
    [1, 'rejected by the service', undefined],
    [1, 'requested', '5.00'],
    [2, 'approved', '5.00'],
  ]);
});

test.each([
  [{ file: { number: 1 }, counted: { added: { 1: 4 } } }, 'in the file'],
  // No line of the first file became a row, so none of it counts.
  [{ file: { number: 2 }, counted: { added: { 2: 4 } } }, 'in the file'],
  [{ file: { number: 2 }, counted: { added: { 1: 4 } } }, 'in the last and earlier imports'],
  [{ file: { number: 1 }, counted: { added: { 1: 4, 2: 1 } } }, 'in the last and earlier imports'],
  [{ file: { number: 2 }, counted: undefined }, 'in the file'],
])('the first money line says whether rows of earlier imports are counted: %o', (of, words) => {
  const money = moneyOf({ invalid: 0, duplicate: 0, leftOut: { amount: '0.00', bare: 0 }, ...of }, none);
  expect(moneyLines(money, none)[0]?.words).toBe(words);
  expect(money.in_file.with_earlier === true).toBe(words !== 'in the file');
});

test.each([
  [{ currencies: ['EUR'] }, 'amount, EUR'],
  [{ currencies: ['EUR'], importing: true }, 'amount'],
  [{ currencies: ['EUR'], interrupted: true }, 'amount'],
  [{ currencies: ['EUR', 'USD'], interrupted: true }, 'amount'],
  [{ currencies: ['EUR', ''] }, 'amount'],
])('the money table names its currency only if every file was read to its end: %j', async (facts, head) => {
  const { portfolios, statusMeanings } = openLedger();
  const { leave } = await portfolios.startImport('q4', file);
  await leave();
  const summary = await summarize('q4', { account: '', portfolios, statusMeanings });
  if (!summary) throw new Error('There is no portfolio.');
  const money = moneyOf({ invalid: 0, duplicate: 0, leftOut: undefined, ...facts }, summary.outcomes);
  expect(amountHead(money)).toBe(head);
});
