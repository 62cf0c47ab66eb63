import { describe, expect, test } from 'vitest';
import { makeNightlyReports } from '../../../jobs/notices/nightly-reports.ts';
import { reportChanges } from '../../../jobs/notices/report-changes.ts';
import type { ScheduleEntry } from '../../../src/schedule/schedule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight; reports are due half past two. */
const BEGIN = Date.UTC(2026, 10, 2);
const DUE_AT = 2.5 * HOUR;

/** Each night at half past two, whatever the pattern is. */
function latestMoment(_entry: ScheduleEntry, atMs: number): number {
  return Math.floor((atMs - BEGIN - DUE_AT) / DAY) * DAY + BEGIN + DUE_AT;
}

const report = (day: number, by = 'nightly') => ({
  id: `${by} ${day}`,
  by,
  madeMs: BEGIN + day * DAY + DUE_AT + 30_000,
});
type Report = ReturnType<typeof report>;
const nightly = (sinceDay = -9) => [
  { task: 'audit' as const, pattern: '15 2 * * *', tz: 'UTC', sinceMs: 0 },
  { task: 'reconcile' as const, pattern: '30 2 * * *', tz: 'UTC', sinceMs: BEGIN + sinceDay * DAY },
];

type Look = readonly [day: number, reports: readonly Report[], schedule?: ReturnType<typeof nightly> | undefined];

/** Looks at these days at noon, the first of which is the first look of all, and answers what is told. */
async function tellOf(looks: readonly Look[]): Promise<string[]> {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  let sinceMs: number | undefined;
  for (const [day, reports, schedule] of looks) {
    const nowMs = BEGIN + day * DAY + 12 * HOUR;
    const seen = makeNightlyReports({
      list: async ({ count }) => reports.slice(0, count),
      toNotice: ({ id, madeMs }) => ({
        kind: 'report',
        title: `Report ${id}`,
        facts: [],
        path: '/nightly',
        atMs: madeMs,
      }),
      schedule: async () => schedule,
      latestMoment,
    });
    const known = { report: remembered['nightly report'], missing: remembered['nightly report missing'] };
    for (const change of reportChanges(await seen(nowMs), known, { nowMs, sinceMs })) {
      expect(change.was).toBe(remembered[change.subject] ?? '');
      expect(change.state).not.toBe(change.was);
      remembered[change.subject] = change.state;
      if (change.notice) told.push(`${day}: ${change.notice.title}`);
    }
    sinceMs ??= nowMs;
  }
  return told;
}

const MISSING = 'No nightly report came for two nights, although the schedule names it';

describe('nightly reports', () => {
  test.each<[string, readonly Look[], string[]]>([
    [
      'are told of, each once',
      [
        [0, [report(0)], nightly()],
        [1, [report(1)], nightly()],
        [1, [report(1)], nightly()],
        [2, [report(2)], nightly()],
      ],
      ['1: Report nightly 1', '2: Report nightly 2'],
    ],
    [
      'of before the first look are not told of',
      [
        [0, [report(0)], nightly()],
        [0, [report(0)], nightly()],
      ],
      [],
    ],
    [
      'that people asked for are not told of',
      [
        [0, [report(0)], nightly()],
        [1, [report(1, 'anna'), report(0)], nightly()],
      ],
      [],
    ],
    [
      'that do not come for two nights, once',
      [
        [0, [report(0)], nightly()],
        [1, [report(0)], nightly()],
        [2, [report(0)], nightly()],
        [9, [report(0)], nightly()],
      ],
      [`2: ${MISSING}`],
    ],
    [
      'that never came',
      [
        [0, [], nightly(-0.1)],
        [1, [], nightly(-0.1)],
        [2, [], nightly(-0.1)],
      ],
      [`1: ${MISSING}`],
    ],
    [
      'that come again and fail again',
      [
        [0, [report(0)], nightly()],
        [2, [report(0)], nightly()],
        [3, [report(3)], nightly()],
        [4, [report(3)], nightly()],
        [5, [report(3)], nightly()],
      ],
      [`2: ${MISSING}`, '3: Report nightly 3', `5: ${MISSING}`],
    ],
    [
      'that no schedule names',
      [
        [0, [report(0)]],
        [9, [report(0)]],
      ],
      [],
    ],
    [
      'that the schedule names only now',
      [
        [0, [report(0)]],
        [9, [report(0)], nightly(8.5)],
        [10, [report(0)], nightly(8.5)],
      ],
      [`10: ${MISSING}`],
    ],
    [
      'that the schedule names no longer',
      [
        [0, [report(0)], nightly()],
        [2, [report(0)], nightly()],
        [3, [report(0)]],
      ],
      [`2: ${MISSING}`],
    ],
  ])('%s', async (_what, looks, told) => {
    expect(await tellOf(looks)).toEqual(told);
  });
});
