import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { moneyOf } from '../../../src/ledger/counts/money.ts';
import { ROW_OUTCOMES } from '../../../src/ledger/counts/row-outcome.ts';
import type { Summary } from '../../../src/ledger/portfolios/summary.ts';
import { ROW_STATES, type RowState } from '../../../src/ledger/schema/row.ts';

const states = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
const outcomes = Object.fromEntries(
  Object.keys(ROW_OUTCOMES).map((outcome) => [outcome, { rows: 0, requested: '0.00', granted: '0.00' }]),
) as Summary['outcomes'];
const found: Summary['outcomes'] = {
  ...outcomes,
  approved: { rows: 1_190, requested: '1234000.50', granted: '999.00' },
  answered: { rows: 8, requested: '567.00', granted: '0.00' },
  needs_answer: { rows: 2, requested: '2000.00', granted: '0.00' },
};
const summary: Summary = {
  account: 'https://api.example',
  portfolio: 'q4',
  lines: 1_203,
  invalid: 2,
  duplicate: 1,
  kept: 0,
  replaced: 0,
  rows: 1_200,
  states: { ...states, done: 1_198, held: 2 },
  outcomes: found,
  statuses: { approved: 1_190, pending: 8 },
  meanings: {},
  requested: '1234567.50',
  inAllRows: '1236567.50',
  granted: '999.00',
  available: '0.00',
  withoutAvailable: 0,
  grantedBelow: 0,
  grantedNothing: 0,
  money: moneyOf({ invalid: 2, duplicate: 1, leftOut: { amount: '12.50', bare: 2 } }, found),
  before: { granted: '0.00', statuses: {} },
  unreadable: 0,
  byState: Object.fromEntries(ROW_STATES.map((state) => [state, '0.00'])) as Record<RowState, string>,
  causes: [],
  resent: { company: 0, document: 0, limit: 0 },
  madeTwice: 0,
  supplier: 'company_1',
  started: '2026-11-21T10:00:00.000Z',
  finished: '2026-11-21T10:00:42.500Z',
  calls: { company: 1_200, document: 0, limit: 1_200, token: 1, throttled: 3 },
};

test('the report shows the outcomes of a portfolio in words and grouped figures', () => {
  const table = summaryTable(summary, { supplier: { id: 'company_1' }, paused: undefined, interrupted: false });
  expect(table).toContain(
    [
      '                                   lines             amount            granted',
      'in the file                        1,203       1,236,580.00',
      '  left out                             3              12.50',
      '  needs an answer                      2           2,000.00',
      '  requested                        1,198       1,234,567.50             999.00',
      '    approved                       1,190       1,234,000.50             999.00',
      '    answered, outcome not known        8             567.00                  –',
      '',
      'Available of what was granted: 0.00.',
      'Of the lines left out, 2 are totals or have no amount above zero that can be read: they are in no sum, and among the lines to fix.',
    ].join('\n'),
  );
  expect(table).toContain('npx limitline statuses STATUS --means approved|review|declined');
  expect(table).toMatch(/^Portfolio q4, account https:\/\/api\.example$/m);
  expect(table).not.toContain('queued');
  expect(table).toContain('nothing left to send since 2026-11-21T10:00:42.500Z');
  expect(table).toContain('The service answered: 1,190 approved, 8 pending.');
  expect(table).toContain('(42.5 s)');
});

test('the report names no duration where a clock was set back between start and end', () => {
  const table = summaryTable({ ...summary, started: '2026-11-21T11:00:00.000Z' }, still);
  expect(table).toContain('2026-11-21T10:00:42.500Z.');
  expect(table).not.toContain(' s).');
});

test('the report explains why approved limits count as answered when no amount of them can be read', () => {
  const answer = { status: 'approved', rows: 3, requested: '9.00', granted: '0.00', available: '0.00', unsaid: 0 };
  const told = { supplier: undefined, paused: undefined, interrupted: false };
  const line = 'Of 3 approved limits the service named no amount that can be read';
  expect(summaryTable(summary, { ...told, answers: [{ ...answer, share: 'unknown' }] })).toContain(line);
  expect(summaryTable(summary, { ...told, answers: [{ ...answer, share: 'all' }] })).not.toContain(line);
});

test('the report shows a refused supplier, a pause and an interrupted import', () => {
  const table = summaryTable(
    { ...summary, supplier: null, finished: null },
    {
      supplier: { problem: 'The service refused the supplier with status 422' },
      paused: 'by request',
      interrupted: true,
    },
  );
  expect(table).toContain('Supplier: The service refused the supplier with status 422');
  expect(table).toContain('Paused: by request.');
  expect(table).toContain('lines read so far');
  expect(table).toContain('not finished yet');
  expect(table).toContain(
    'An import was not read to its end: import its file again, or once more the file that takes its place.',
  );
});

// Promise: report-says-importing
test('the report of a file that is still being imported states that its figures are partial', () => {
  const table = summaryTable({ ...summary, importing: true }, still);
  expect(table).toContain('A file is still being imported: all figures are of the lines read so far.');
  expect(table).toContain('lines read so far');
  expect(table).not.toContain('lines of the file');
  expect(summaryTable(summary, still)).not.toContain('so far');
});

test('the report counts lines of the file, or lines of all imports when other imports brought rows', () => {
  const money = { ...summary.money, in_file: { ...summary.money.in_file, with_earlier: true as const } };
  expect(summaryTable({ ...summary, replaced: 0 }, still)).toContain('lines of the file');
  expect(summaryTable({ ...summary, replaced: 0, money }, still)).toContain('lines of all imports');
  expect(summaryTable({ ...summary, replaced: 1 }, still)).toContain('lines of all imports');
});

const still = { supplier: undefined, paused: undefined, interrupted: false };

const PARTLY = { ...found, partly_approved: { rows: 1, requested: '2.00', granted: '1.00' } };

test.each<[string, Partial<Summary>, string[]]>([
  [
    'an answer that is no approval',
    { statuses: { approved: 1_197, pending: 1 } },
    ['Not known to be approved: 1 “pending”.'],
  ],
  [
    'several answers, one without a status, and limits below their request',
    { statuses: { approved: 1_190, 'under review': 3, 'declined\n': 4 }, grantedBelow: 1, outcomes: PARTLY },
    [
      'Not known to be approved: 4 “declined␊”, 3 “under review”, 1 without a status.',
      '1 limit granted below the request.',
    ],
  ],
  [
    'statuses with a meaning',
    {
      statuses: { approved: 1_192, in_progress: 2, declined: 1, odd: 3 },
      meanings: { in_progress: 'review', declined: 'declined' },
    },
    ['Not approved: 2 under review (in_progress), 1 declined.', 'Not known to be approved: 3 “odd”.'],
  ],
  [
    'limits that were declined before',
    {
      statuses: { approved: 1_195, declined: 1 },
      before: { granted: '0.00', statuses: { declined: 2 } },
      meanings: { declined: 'declined' },
    },
    ['Not approved: 1 declined.', 'Requested before, and not approved: 2 declined.'],
  ],
  [
    'an approval with nothing granted',
    { statuses: { approved: 1_198 }, grantedNothing: 1 },
    ['1 limit approved with nothing granted.'],
  ],
  [
    'answers to requests made before',
    {
      statuses: { approved: 1_198 },
      before: { granted: '1.00', statuses: { approved: 2, 'under review': 2 } },
      grantedBelow: 3,
      outcomes: PARTLY,
    },
    [
      'The service answered: 1,198 approved; before: 2 approved, 2 under review.',
      '1 limit granted below the request.',
      'Requested before, and granted below the request: 2 limits.',
    ],
  ],
])('the report lists what was not granted as requested: %s', (_name, change, sentences) => {
  const table = summaryTable({ ...summary, ...change }, still).split('\n');
  for (const sentence of sentences) expect(table).toContain(sentence);
});

test('the report shows the grants of requests made before in their own line', () => {
  const all = { ...outcomes, requested_before: { rows: 1_200, requested: '1000.00', granted: '999.00' } };
  const money = moneyOf({ invalid: 0, duplicate: 0, leftOut: { amount: '0.00', bare: 0 } }, all);
  const table = summaryTable(
    { ...summary, states: { ...states, skipped: 1_200 }, statuses: {}, outcomes: all, money },
    still,
  );
  expect(table).toMatch(/^ {2}requested before +1,200 +1,000\.00 +999\.00$/m);
  expect(table).not.toMatch(/^ {2}requested {2}|^Available/m);
});

test('the report shows no sum of left-out lines when an older version kept none', () => {
  const money = moneyOf({ invalid: 2, duplicate: 1, leftOut: undefined }, found);
  const table = summaryTable({ ...summary, money }, still);
  expect(table).toMatch(/^in the file, at least +1,203 +1,236,567\.50\n {2}left out +3\n/m);
  expect(table).toContain('An older version of Limitline imported the lines left out, and kept no sum of them.');
});

test.each([
  [1, '    1 cancelled row was corrected or left out by a later file.'],
  [2, '    2 cancelled rows were corrected or left out by a later file.'],
])('the report counts rows that were cancelled because of a later file: %i', (replaced, sentence) => {
  const table = summaryTable({ ...summary, replaced }, still).split('\n');
  expect(table).toContain(sentence);
});

test('the report counts rows that stay because their lines in the last import are invalid', () => {
  expect(summaryTable({ ...summary, kept: 1 }, still)).toContain(
    '    1 row stays as it was: its line in the last import cannot be used. report --format errors-csv has it.',
  );
  expect(summaryTable({ ...summary, kept: 3 }, still)).toContain(
    '    3 rows stay as they were: their lines in the last import cannot be used. report --format errors-csv has them.',
  );
  expect(summaryTable(summary, still)).not.toContain('stays as it was');
});

test('the report states that calls are allowed to be sent a second time, not that they were', () => {
  const table = summaryTable({ ...summary, resent: { company: 0, document: 0, limit: 7 } }, still);
  expect(table).toContain(
    'Allowed to be sent a second time, since the outcome of the first sending is unknown: 7 limits. The service may make',
  );
});

test('the report counts the rows whose amount is in no sum', () => {
  const told = { supplier: undefined, paused: undefined, interrupted: false };
  expect(summaryTable({ ...summary, unreadable: 2 }, told)).toContain(
    'Of 2 rows an amount cannot be read: that amount is in no sum, and the others of the row are.',
  );
  expect(summaryTable(summary, told)).not.toContain('cannot be read');
});
