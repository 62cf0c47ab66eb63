import { expect, test } from 'vitest';
import { reportNotice } from '../../../jobs/notices/nightly-reports.ts';
import type { NightReport } from '../../../src/ledger/nightly/checks.ts';
import { compareReports, countFindings } from '../../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import { foundItem } from '../../support/found-items.ts';

const EMPTY: NightReport = {
  ...{ id: '2026-11-22T01:30:00.000Z', account: 'https://api.example.com', by: 'nightly' },
  ...{ atMs: 1, beganMs: 2, madeMs: 3, looked: { portfolios: 1 }, items: 0, findings: 0, groups: [], crowded: [] },
};

function reportOf(...items: readonly ReturnType<typeof foundItem>[]): NightReport {
  const all = makeFindingGroups();
  for (const item of items) all.add(item);
  const { groups } = compareReports(all.result(), { id: 'before', madeMs: 0, crowded: [], findings: [] });
  return { ...EMPTY, findings: countFindings({ groups }), groups, before: { id: 'before', madeMs: 0 } };
}

test('a notice of a report says what was found by check, with rows and sums, and leads to the report', () => {
  const items = [
    foundItem(),
    foundItem({ portfolio: 'q5' }),
    foundItem({ check: 'calls', requested: undefined as never }),
    foundItem({ check: 'no job', isMended: true, rows: 1_200, requested: undefined as never }),
  ];
  expect(reportNotice(reportOf(...items))).toEqual({
    kind: 'report',
    title: 'Nightly check: 4 findings: 1 for a person, 2 for finance, 1 corrected.',
    facts: [
      { term: 'Account', what: 'https://api.example.com' },
      { term: 'Needs an answer', what: 'Rows that do not agree with their calls: 1 row' },
      { term: 'For finance', what: 'Rejected by the service: 2 rows, 2,001.00' },
      { term: 'Corrected', what: 'Rows in progress that had no job: 1,200 rows' },
      { term: 'Since the report before', what: '4 new' },
    ],
    path: '/nightly/reports/2026-11-22T01%3A30%3A00.000Z',
    atMs: 3,
  });
});

test('of a night without findings it says just that', () => {
  expect(reportNotice(EMPTY)).toMatchObject({
    title: 'Nightly check: Nothing was found: all that we keep agrees.',
    facts: [{ term: 'Account' }],
  });
});

// Promise: notices-name-no-person
test('nothing in it is of a person, whatever stands in words, names and details', () => {
  const marks = { says: 'MARK one', name: 'MARK two', detail: 'MARK three', command: 'retry MARK', key: 'MARK' };
  expect(JSON.stringify(reportNotice({ ...reportOf(foundItem(marks)), fault: '/home/MARK is full' }))).not.toContain(
    'MARK',
  );
});
