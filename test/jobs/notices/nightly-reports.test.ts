import { describe, expect, test } from 'vitest';
import { reportChanges, reportNotice, seeReports } from '../../../jobs/notices/nightly-reports.ts';
import type { NightReport } from '../../../src/ledger/nightly/checks.ts';
import { compareReports, countFindings } from '../../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import { foundItem } from '../../support/found-items.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The first midnight. Reports are due at half past two. */
const BEGIN = Date.UTC(2026, 10, 2);
const DUE_AT = 2.5 * HOUR;

const report = (day: number, by = 'nightly'): NightReport => {
  const madeMs = BEGIN + day * DAY + DUE_AT + 30_000;
  const times = { atMs: madeMs - 30_000, beganMs: madeMs - 29_000, madeMs };
  const found = { items: 0, findings: 0, groups: [], crowded: [], looked: { portfolios: 1 } };
  return { id: `${by} ${day}`, account: 'stand-in', by, ...times, ...found };
};
/** So many reports requested by a person on one day, five minutes apart, newest first. */
const reportsOfPeople = (day: number, count: number) =>
  Array.from({ length: count }, (_none, place) => report(day + (count - place) / 288, 'a person'));
const nightly = (sinceDay = -9) => [
  { task: 'audit' as const, pattern: '15 2 * * *', tz: 'UTC', sinceMs: 0 },
  { task: 'reconcile' as const, pattern: '30 2 * * *', tz: 'UTC', sinceMs: BEGIN + sinceDay * DAY },
];

type Look = readonly [day: number, reports: readonly NightReport[], schedule?: ReturnType<typeof nightly> | undefined];

/** Looks at noon of these days, and returns the notices. The first look only records the state. */
async function tellOf(looks: readonly Look[]): Promise<string[]> {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  let sinceMs: number | undefined;
  for (const [day, reports, schedule] of looks) {
    const nowMs = BEGIN + day * DAY + 12 * HOUR;
    const seen = seeReports(
      {
        reports: {
          list: async ({ count, beforeMs = nowMs }) =>
            reports.filter(({ madeMs }) => madeMs < beforeMs).slice(0, count),
        },
        nightlyRuns: { schedule: async () => schedule },
      },
      nowMs,
    );
    const known = { report: remembered['nightly report'], missing: remembered['nightly report missing'] };
    for (const change of reportChanges(await seen, known, { nowMs, sinceMs })) {
      expect(change.was).toBe(remembered[change.subject] ?? '');
      expect(change.state).not.toBe(change.was);
      remembered[change.subject] = change.state;
      if (change.notice) told.push(`${day}: ${change.notice.path}`);
    }
    sinceMs ??= nowMs;
  }
  return told;
}

/** A look at noon of a day with this schedule. With null there is no schedule. */
const look = (
  day: number,
  reports: readonly NightReport[],
  schedule: ReturnType<typeof nightly> | null = nightly(),
): Look => [day, reports, schedule ?? undefined];

/** The path in the notice of a missing report. */
const MISSING = '/nightly/automation';

describe('nightly reports', () => {
  test.each<[string, readonly Look[], string[]]>([
    [
      'send one notice each',
      [look(0, [report(0)]), look(1, [report(1)]), look(1, [report(1)]), look(2, [report(2)])],
      ['1: /nightly/reports/nightly%201', '2: /nightly/reports/nightly%202'],
    ],
    ['from before the first look send no notice', [look(0, [report(0)]), look(0, [report(0)])], []],
    [
      'are found among many reports that people requested',
      [
        look(0, [report(0)]),
        look(1, [...reportsOfPeople(1, 70), report(1)]),
        look(1, [...reportsOfPeople(1, 90), report(1)]),
        look(3, [...reportsOfPeople(3, 90), report(1)]),
      ],
      ['1: /nightly/reports/nightly%201', `3: ${MISSING}`],
    ],
    ['that people requested send no notice', [look(0, [report(0)]), look(1, [report(1, 'anna'), report(0)])], []],
    [
      // Promise: missing-reports-are-told
      'missing for two nights send one notice',
      [look(0, [report(0)]), look(1, [report(0)]), look(2, [report(0)]), look(9, [report(0)])],
      [`2: ${MISSING}`],
    ],
    [
      'that were never made send a notice',
      [look(0, [], nightly(-0.1)), look(1, [], nightly(-0.1)), look(2, [], nightly(-0.1))],
      [`1: ${MISSING}`],
    ],
    [
      'made again and missing again send a notice each time',
      [look(0, [report(0)]), look(2, [report(0)]), look(3, [report(3)]), look(4, [report(3)]), look(5, [report(3)])],
      [`2: ${MISSING}`, '3: /nightly/reports/nightly%203', `5: ${MISSING}`],
    ],
    ['without a schedule are not missing', [look(0, [report(0)], null), look(9, [report(0)], null)], []],
    [
      'of a new schedule are missing from then on',
      [look(0, [report(0)], null), look(9, [report(0)], nightly(8.5)), look(10, [report(0)], nightly(8.5))],
      [`10: ${MISSING}`],
    ],
    [
      'removed from the schedule are no longer missing',
      [look(0, [report(0)]), look(2, [report(0)]), look(3, [report(0)], null)],
      [`2: ${MISSING}`],
    ],
  ])('%s', async (_what, looks, told) => {
    expect(await tellOf(looks)).toEqual(told);
  });
});

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

test('a notice of a report lists findings by check with rows and sums, and links to the report', () => {
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

test('a notice of a night without findings has a short title and the account only', () => {
  expect(reportNotice(EMPTY)).toMatchObject({
    title: 'Nightly check: Nothing was found: all that we keep agrees.',
    facts: [{ term: 'Account' }],
  });
});

// Promise: notices-name-no-person
test('a notice of a report contains no names, details or paths', () => {
  const marks = { says: 'MARK one', name: 'MARK two', detail: 'MARK three', command: 'retry MARK', key: 'MARK' };
  expect(JSON.stringify(reportNotice({ ...reportOf(foundItem(marks)), fault: '/home/MARK is full' }))).not.toContain(
    'MARK',
  );
});
