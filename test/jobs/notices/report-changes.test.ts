import { describe, expect, test } from 'vitest';
import { type LastReport, type ReportsDue, reportChanges } from '../../../jobs/notices/report-changes.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight; reports are due half past two. */
const BEGIN = Date.UTC(2026, 10, 2);
const DUE_AT = 2.5 * HOUR;

const nightly: ReportsDue = {
  words: 'reconcile 30 2 * * *',
  before: (atMs) => {
    const latest = Math.floor((atMs - BEGIN - DUE_AT) / DAY) * DAY + BEGIN + DUE_AT;
    return [latest, latest - DAY];
  },
};

const report = (day: number): LastReport => ({
  id: `night ${day}`,
  madeMs: BEGIN + day * DAY + DUE_AT + 30_000,
  notice: { kind: 'report', title: `Report of night ${day}`, facts: [], path: '/nightly', atMs: 0 },
});

type Look = readonly [day: number, last: number | undefined, due?: ReportsDue | undefined];

/** Looks at these days at noon, the first of which is the first look of all, and answers what is told. */
function tellOf(looks: readonly Look[]): string[] {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  let sinceMs: number | undefined;
  for (const [day, last, due] of looks) {
    const nowMs = BEGIN + day * DAY + 12 * HOUR;
    const known = {
      report: remembered['nightly report'],
      schedule: remembered['nightly schedule'],
      missing: remembered['nightly report missing'],
    };
    const seen = { last: last === undefined ? undefined : report(last), due };
    for (const change of reportChanges(seen, known, { nowMs, sinceMs })) {
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
const weekly: ReportsDue = { words: 'reconcile 30 2 * * 1', before: () => [BEGIN + DUE_AT, BEGIN + DUE_AT - 7 * DAY] };

describe('nightly reports', () => {
  test.each<[string, readonly Look[], string[]]>([
    [
      'are told of, each once',
      [
        [0, 0, nightly],
        [1, 1, nightly],
        [1, 1, nightly],
        [2, 2, nightly],
      ],
      ['1: Report of night 1', '2: Report of night 2'],
    ],
    [
      'of before the first look are not',
      [
        [0, 0, nightly],
        [0, 0, nightly],
      ],
      [],
    ],
    [
      'that do not come for two nights, once',
      [
        [0, 0, nightly],
        [1, 0, nightly],
        [2, 0, nightly],
        [3, 0, nightly],
        [9, 0, nightly],
      ],
      [`2: ${MISSING}`],
    ],
    [
      'that never came',
      [
        [0, undefined, nightly],
        [1, undefined, nightly],
        [2, undefined, nightly],
        [3, undefined, nightly],
      ],
      [`2: ${MISSING}`],
    ],
    [
      'that come again and fail again',
      [
        [0, 0, nightly],
        [2, 0, nightly],
        [3, 3, nightly],
        [4, 3, nightly],
        [5, 3, nightly],
      ],
      [`2: ${MISSING}`, '3: Report of night 3', `5: ${MISSING}`],
    ],
    [
      'that no schedule names',
      [
        [0, 0],
        [1, 0],
        [9, 0],
      ],
      [],
    ],
    [
      'that the schedule names only now',
      [
        [0, 0],
        [8, 0],
        [9, 0, nightly],
        [10, 0, nightly],
        [11, 0, nightly],
      ],
      [`11: ${MISSING}`],
    ],
    [
      'whose schedule changed meanwhile',
      [
        [0, 0, nightly],
        [2, 0, weekly],
        [3, 0, weekly],
      ],
      [],
    ],
    [
      'that the schedule names no longer',
      [
        [0, 0, nightly],
        [2, 0, nightly],
        [3, 0],
        [4, 0],
      ],
      [`2: ${MISSING}`],
    ],
  ])('%s', (_what, looks, told) => {
    expect(tellOf(looks)).toEqual(told);
  });
});
