import { describe, expect, test } from 'vitest';
import { reportChanges, seeReports } from '../../../jobs/notices/nightly-reports.ts';
import type { NightReport } from '../../../src/ledger/nightly/checks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight; reports are due half past two. */
const BEGIN = Date.UTC(2026, 10, 2);
const DUE_AT = 2.5 * HOUR;

const report = (day: number, by = 'nightly'): NightReport => {
  const madeMs = BEGIN + day * DAY + DUE_AT + 30_000;
  const times = { atMs: madeMs - 30_000, beganMs: madeMs - 29_000, madeMs };
  const found = { items: 0, findings: 0, groups: [], crowded: [], looked: { portfolios: 1 } };
  return { id: `${by} ${day}`, account: 'stand-in', by, ...times, ...found };
};
/** So many on one day, five minutes apart, the newest first. */
const reportsOfPeople = (day: number, count: number) =>
  Array.from({ length: count }, (_none, place) => report(day + (count - place) / 288, 'a person'));
const nightly = (sinceDay = -9) => [
  { task: 'audit' as const, pattern: '15 2 * * *', tz: 'UTC', sinceMs: 0 },
  { task: 'reconcile' as const, pattern: '30 2 * * *', tz: 'UTC', sinceMs: BEGIN + sinceDay * DAY },
];

type Look = readonly [day: number, reports: readonly NightReport[], schedule?: ReturnType<typeof nightly> | undefined];

/** Looks at these days at noon, the first of which is the first look of all, and answers what is told. */
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

/** A look of a day at which the schedule names the nightly check; with null there is no schedule. */
const look = (
  day: number,
  reports: readonly NightReport[],
  schedule: ReturnType<typeof nightly> | null = nightly(),
): Look => [day, reports, schedule ?? undefined];

/** Where the notice leads that none came. */
const MISSING = '/nightly/automation';

describe('nightly reports', () => {
  test.each<[string, readonly Look[], string[]]>([
    [
      'are told of, each once',
      [look(0, [report(0)]), look(1, [report(1)]), look(1, [report(1)]), look(2, [report(2)])],
      ['1: /nightly/reports/nightly%201', '2: /nightly/reports/nightly%202'],
    ],
    ['of before the first look are not told of', [look(0, [report(0)]), look(0, [report(0)])], []],
    [
      'are none that is missing, however many people asked for since',
      [
        look(0, [report(0)]),
        look(1, [...reportsOfPeople(1, 70), report(1)]),
        look(1, [...reportsOfPeople(1, 90), report(1)]),
        look(3, [...reportsOfPeople(3, 90), report(1)]),
      ],
      ['1: /nightly/reports/nightly%201', `3: ${MISSING}`],
    ],
    ['that people asked for are not told of', [look(0, [report(0)]), look(1, [report(1, 'anna'), report(0)])], []],
    [
      // Promise: missing-reports-are-told
      'that do not come for two nights, once',
      [look(0, [report(0)]), look(1, [report(0)]), look(2, [report(0)]), look(9, [report(0)])],
      [`2: ${MISSING}`],
    ],
    [
      'that never came',
      [look(0, [], nightly(-0.1)), look(1, [], nightly(-0.1)), look(2, [], nightly(-0.1))],
      [`1: ${MISSING}`],
    ],
    [
      'that come again and fail again',
      [look(0, [report(0)]), look(2, [report(0)]), look(3, [report(3)]), look(4, [report(3)]), look(5, [report(3)])],
      [`2: ${MISSING}`, '3: /nightly/reports/nightly%203', `5: ${MISSING}`],
    ],
    ['that no schedule names', [look(0, [report(0)], null), look(9, [report(0)], null)], []],
    [
      'that the schedule names only now',
      [look(0, [report(0)], null), look(9, [report(0)], nightly(8.5)), look(10, [report(0)], nightly(8.5))],
      [`10: ${MISSING}`],
    ],
    [
      'that the schedule names no longer',
      [look(0, [report(0)]), look(2, [report(0)]), look(3, [report(0)], null)],
      [`2: ${MISSING}`],
    ],
  ])('%s', async (_what, looks, told) => {
    expect(await tellOf(looks)).toEqual(told);
  });
});
