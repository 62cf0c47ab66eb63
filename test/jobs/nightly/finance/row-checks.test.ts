import { describe, expect, test } from 'vitest';
import { dayBegan } from '../../../../jobs/nightly/finance/index.ts';
import { grantedBelow, longReview, otherStatus, statementsOf } from '../../../../jobs/nightly/finance/row-checks.ts';
import { failedRow } from '../../../../jobs/nightly/finance/unfinished-rows.ts';
import { ageWords } from '../../../../jobs/nightly/walk-ledger.ts';
import type { RowCause } from '../../../../src/ledger/counts/cause.ts';
import type { RowResult, RowState } from '../../../../src/ledger/schema/row.ts';
import { makeRequest, makeWalked } from '../../../support/ledger.ts';

const DAY_MS = 86_400_000;

const MEANINGS = new Map([
  ['accepted', 'approved'],
  ['in review', 'review'],
  ['rejected', 'declined'],
  ['Declined', 'declined'],
  ['under_review', 'review'],
] as const);

describe('the granted amount beside the requested one', () => {
  const of = (requested: string, granted: string | undefined, state: RowState = 'done') =>
    grantedBelow(
      makeWalked({
        state,
        request: makeRequest({ limit: { requested_limit: requested } }),
        record: granted === undefined ? {} : { status: 'approved', total_limit: granted },
      }),
      MEANINGS,
    );

  // Promise: granted-less-digit-by-digit
  test.each([
    ['1000', '1000', undefined],
    ['1000', '1000.00', undefined],
    ['1000.50', '1000.5', undefined],
    ['1000', '1E3', undefined],
    ['1000', '2000', 'more was granted than requested'],
    ['1000', '999.99', 'less than requested'],
    ['1000', '9e2', 'less than requested'],
    // The two amounts are equal as floating-point numbers.
    ['9007199254740993', '9007199254740992', 'less than requested'],
    ['1000', '0', 'approved, but nothing was granted'],
    ['1000', '0.00', 'approved, but nothing was granted'],
    ['1000', '-5', 'approved, but a negative amount was granted'],
    ['1000', 'EUR 1000', 'the answer says an amount that cannot be read'],
    ['1000', '1e9999999', 'the answer says an amount that cannot be read'],
    ['1000', `1${'0'.repeat(200)}`, 'the answer says an amount that cannot be read'],
    // A person gave the id, so the amount is unknown.
    ['1000', undefined, undefined],
  ])('%s requested, %s granted: %s', (requested, granted, says) => {
    expect(of(requested, granted)?.says).toBe(says);
  });

  test('is compared only for the row that made the limit', () => {
    expect(of('1000', '1', 'skipped')).toBeUndefined();
    expect(of('1000', '1', 'held')).toBeUndefined();
  });

  test.each([
    ['approved', '1', 'granted below'],
    ['accepted', '1', 'granted below'],
    ['approved', '0', 'other status'],
    ['approved', '?', 'answered otherwise'],
    // Another check reports these by their status.
    ['declined', '0', undefined],
    ['under review', '1', undefined],
    [undefined, '1', undefined],
    ['approved', undefined, 'answered otherwise'],
    ['declined', undefined, undefined],
  ])('a limit with status %s and %s granted belongs to the check %s', (status, total_limit, check) => {
    const record = {
      ...(total_limit === undefined ? {} : { total_limit }),
      ...(status === undefined ? {} : { status }),
    };
    expect(grantedBelow(makeWalked({ record }), MEANINGS)?.check).toBe(check);
  });

  test('is reported with the row and the limit id', () => {
    expect(
      grantedBelow(
        makeWalked({ record: { status: 'approved', total_limit: '1.5' }, line: 7, limitId: 'bl_7' }),
        MEANINGS,
      ),
    ).toEqual({
      check: 'granted below',
      portfolio: 'q4',
      key: 'row-1',
      line: 7,
      name: 'Muster GmbH',
      requested: '1000',
      granted: '1.5',
      says: 'less than requested',
      detail: 'bl_7',
      isMended: false,
    });
  });
});

// Promise: granted-only-where-approved
test.each(['in review', 'rejected', 'pending'])(
  'a total beside the status "%s" is not reported as granted',
  (status) => {
    const found = otherStatus(makeWalked({ record: { status, total_limit: '1.5' } }), MEANINGS);
    expect(found?.granted).toBeUndefined();
    expect(found?.named).toBe('1.5');
  },
);

const UNKNOWN = ': nobody has said what this status means';

test.each([
  ['approved', undefined, undefined],
  ['accepted', undefined, undefined],
  ['in review', 'in review: under review', undefined],
  ['rejected', 'rejected: declined', undefined],
  // The words are not repeated if they equal the status.
  ['Declined', 'declined', undefined],
  ['under_review', 'under review', undefined],
  ['pending', `pending${UNKNOWN}`, 'statuses pending --means MEANING'],
  ['to be seen', `to be seen${UNKNOWN}`, 'statuses "to be seen" --means MEANING'],
  ['Approved', `Approved${UNKNOWN}`, 'statuses Approved --means MEANING'],
  // A shell would run this text, so there is no command.
  ['$(reboot)', `$(reboot)${UNKNOWN}`, undefined],
  ['--json', `--json${UNKNOWN}`, undefined],
  ['in review\n\u001b[31m', `in review␊␛[31m${UNKNOWN}`, undefined],
  ['x'.repeat(100), `${'x'.repeat(60)}…${UNKNOWN}`, undefined],
  ['', 'no status is known of it', undefined],
  [undefined, 'no status is known of it', undefined],
])('a limit with the status %j is reported as %j', (status, says, command) => {
  const record: RowResult['record'] = status === undefined ? {} : { status };
  const found = otherStatus(makeWalked({ record }), MEANINGS);
  expect([found?.says, found?.command]).toEqual([says, command]);
  expect(otherStatus(makeWalked({ record, state: 'skipped' }), MEANINGS)).toBeUndefined();
});

test.each([
  ['in review', 30 * DAY_MS + 1, 'under review for longer than 30 days'],
  ['in review', 30 * DAY_MS, undefined],
  // The clock was set back.
  ['in review', -DAY_MS, undefined],
  ['rejected', 99 * DAY_MS, undefined],
  ['approved', 99 * DAY_MS, undefined],
  ['pending', 99 * DAY_MS, undefined],
  [undefined, 99 * DAY_MS, undefined],
])('a limit answered as %j %d ms ago is reported as %j', (status, ageMs, says) => {
  const given = { meanings: MEANINGS, days: 30, atMs: 100 * DAY_MS };
  const walked = (state: RowState) =>
    makeWalked({ state, record: status === undefined ? {} : { status }, sinceMs: given.atMs - ageMs });
  expect(longReview(walked('done'), given)?.says).toBe(says);
  expect(longReview(walked('skipped'), given)).toBeUndefined();
});

describe('financial statements', () => {
  const document = { name: 'q4.pdf', mediaType: 'application/pdf', sizeBytes: 1, sha256: 'a' };
  const of = (amount: string, documents: number, statements: string | undefined, state: RowState = 'done') => {
    const request = makeRequest({ documents: Array(documents).fill(document), limit: { requested_limit: amount } });
    const item = statementsOf(makeWalked({ state, request, statements }), '2025-01-22', { EUR: 700_000 });
    return item && [item.check, item.says, item.detail];
  };

  // Promises: statements-by-nights-date, statement-date-is-advice-only
  test.each<[string, number, string | undefined, [string, string, string | undefined] | undefined]>([
    ['750000', 0, undefined, undefined],
    ['750000.01', 0, undefined, ['no statements', 'limit made: no document is named', undefined]],
    ['900000', 0, '2001-01-01', ['no statements', 'limit made: no document is named', 'statements of 2001-01-01']],
    ['900000', 1, undefined, undefined],
    ['900000', 1, '2025-01-22', undefined],
    [
      '900000',
      1,
      '2025-01-21',
      ['old statements', 'limit made: the statements are older than 22 months', 'statements of 2025-01-21'],
    ],
    ['1000', 0, '2001-01-01', undefined],
    ['900000', 0, 'GBP', undefined],
    ['720000', 0, 'EUR', ['no statements', 'limit made: no document is named', undefined]],
    ['720000', 0, undefined, undefined],
    [
      '720000',
      1,
      '2025-01-21 EUR',
      ['old statements', 'limit made: the statements are older than 22 months', 'statements of 2025-01-21'],
    ],
  ])('%s with %i documents of %s: %j', (amount, documents, dated, found) => {
    expect(of(amount, documents, dated)).toEqual(found);
  });

  test.each<[RowState, string | undefined]>([
    ['awaiting', 'not sent yet: no document is named'],
    ['refused', 'refused: no document is named'],
    ['held', 'held: no document is named'],
    ['done', 'limit made: no document is named'],
    ['queued', undefined],
    ['limit', undefined],
    ['cancelled', undefined],
    ['skipped', undefined],
  ])('are checked for a row in state %s: %s', (state, says) => {
    expect(of('900000', 0, undefined, state)?.[1]).toBe(says);
  });
});

test.each([
  [-DAY_MS, 'for less than a day'],
  [DAY_MS - 1, 'for less than a day'],
  [DAY_MS, 'for more than a day'],
  [7 * DAY_MS - 1, 'for more than a day'],
  [7 * DAY_MS, 'for more than a week'],
  [30 * DAY_MS, 'for more than a month'],
  [365 * DAY_MS, 'for more than a year'],
])('an age of %i ms is written as %s', (ageMs, words) => {
  expect(ageWords(ageMs)).toBe(words);
});

describe('a failed row', () => {
  const cause = (changes: Partial<RowCause> = {}): RowCause => {
    return { id: 'k3f9', step: 'limit', meaning: 'refused', status: 422, words: 'limit … is too high', ...changes };
  };
  const facts = (causes: RowCause[]) => ({
    lastImport: '1',
    causes: new Map(causes.map((one) => [one.id, one])),
    importedMs: new Map(),
    isPaused: false,
  });
  const of = (changes: Partial<RowResult>, causes: RowCause[] = []) =>
    failedRow(makeWalked({ updatedMs: 1_000, ...changes }), facts(causes), 1_000 + 8 * DAY_MS);

  test.each<[string, Partial<RowResult>, RowCause[], string, string]>([
    [
      'is grouped by cause and age, and sent again by its cause',
      { state: 'refused', cause: 'k3f9' },
      [cause()],
      'refused at the limit with status 422, for more than a week: limit … is too high',
      'retry q4 --cause k3f9',
    ],
    [
      'without a known cause is named by its line',
      { state: 'refused', cause: 'gone', step: 'company' },
      [],
      'at the company, for more than a week',
      'retry q4 --line 2',
    ],
    [
      'of an earlier import is named by its key',
      { state: 'refused', importId: '0', step: 'documents' },
      [],
      'at the documents, for more than a week',
      'retry q4 --row row-1',
    ],
    [
      'is held until a person says what became of it',
      { state: 'held', cause: 'k3f9' },
      [cause({ meaning: 'unknown', status: null, words: 'no answer in time' })],
      'outcome unknown at the limit, for more than a week: no answer in time',
      'resolve q4 --line 2 --made ID',
    ],
    [
      'that failed by an internal fault is reported as a fault of Limitline',
      { state: 'refused', cause: 'k3f9' },
      [cause({ meaning: 'ours', status: null, words: '' })],
      'fault of Limitline at the limit, for more than a week',
      'retry q4 --cause k3f9',
    ],
  ])('%s', (_title, changes, causes, says, command) => {
    expect(of(changes, causes)).toMatchObject({ says, command, sinceMs: 1_000, check: changes.state });
  });

  test('of a portfolio with a space in its name has a command that can be pasted', () => {
    const walked = makeWalked({ state: 'held' });
    const item = failedRow({ ...walked, row: { portfolio: 'Q4 rest', key: 'row-1' } }, facts([]), 0);
    expect(item.command).toBe('resolve "Q4 rest" --line 2 --made ID');
  });
});

test('the checked period is at least 25 hours, and begins one hour before the previous check', () => {
  const [now, hourMs] = [100 * DAY_MS, 3_600_000];
  expect(dayBegan(now, undefined)).toBe(now - 25 * hourMs);
  expect(dayBegan(now, now - 2 * hourMs)).toBe(now - 25 * hourMs);
  expect(dayBegan(now, now - 72 * hourMs)).toBe(now - 73 * hourMs);
});
