import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/terminal/summary-table.ts';
import { ROW_STATES, type RowState } from '../../../src/ledger/rows.ts';
import type { Summary } from '../../../src/ledger/summary.ts';

const states = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
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
  statuses: { approved: 1_190, pending: 8 },
  requested: '1234567.50',
  granted: '999.00',
  available: '0.00',
  madeTwice: 0,
  supplier: 'company_1',
  started: '2026-11-21T10:00:00.000Z',
  finished: '2026-11-21T10:00:42.500Z',
  calls: { company: 1_200, document: 0, limit: 1_200, token: 1, throttled: 3 },
};

test('says in words and grouped figures what became of a portfolio', () => {
  const table = summaryTable(summary, { supplier: { id: 'company_1' }, paused: undefined, interrupted: false });
  expect(table).toContain('done                       1,198   limit requested and answered');
  expect(table).toContain('held                           2   outcome unknown: a person must say');
  expect(table).toMatch(/^Portfolio q4, account https:\/\/api\.example$/m);
  expect(table).not.toContain('queued');
  expect(table).toContain('1,234,567.50');
  expect(table).toContain('1190 approved, 8 pending');
  expect(table).toContain('(42.5 s)');
});

test('says what is not well: no supplier, paused, not finished', () => {
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
  expect(table).toContain('not finished yet');
  expect(table).toContain('The last import did not come to its end: import the file again.');
});

test('says that rows stay as they were whose lines the last import refused', () => {
  const still = { supplier: undefined, paused: undefined, interrupted: false };
  expect(summaryTable({ ...summary, kept: 3 }, still)).toContain('found the lines of 3 rows invalid: those rows stay');
  expect(summaryTable(summary, still)).not.toContain('stay as they were');
});
