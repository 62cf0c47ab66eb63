import type { Notice } from '../../src/notices/notice.ts';
import { judge, type Verdict } from './condition.ts';
import { changeOf, type SystemChange } from './service-changes.ts';

/** The last report that a night made, and what is told of it. */
export type LastReport = { id: string; madeMs: number; notice: Notice };

/** When a nightly report is due, as the schedule says: told as words that change when it does, and the moments of late. */
export type ReportsDue = {
  words: string;
  /** The moments up to this one at which a report was due, the latest first, two of them. */
  before: (atMs: number) => readonly [number, number];
};

export const REPORT_SUBJECTS = {
  report: 'nightly report',
  schedule: 'nightly schedule',
  missing: 'nightly report missing',
} as const;

type Remembered = { [Subject in keyof typeof REPORT_SUBJECTS]?: string | undefined };

/** A report of a million rows is made in a minute, and a night that was missed is caught up with as soon as somebody is there. */
const MADE_WITHIN_MS = 3_600_000;

/**
 * Whether a night made a report, and whether none came for two nights although the schedule names it; judged by what is remembered.
 * Pure. Of nights before the schedule was as it is now nothing is said.
 *
 * @param sinceMs when somebody looked for the first time; nothing at that very look, which only remembers
 * @param due nothing where the schedule names no report
 */
export function reportChanges(
  { last, due }: { last: LastReport | undefined; due: ReportsDue | undefined },
  remembered: Remembered,
  { nowMs, sinceMs }: { nowMs: number; sinceMs: number | undefined },
): SystemChange[] {
  const changes: SystemChange[] = [];
  const change = (subject: keyof typeof REPORT_SUBJECTS, state: string, notice?: Notice): void => {
    const was = remembered[subject] ?? '';
    if (state !== was) changes.push({ subject: REPORT_SUBJECTS[subject], was, state, ...(notice ? { notice } : {}) });
  };
  if (last)
    change('report', `report ${last.id}`, sinceMs === undefined || last.madeMs <= sinceMs ? undefined : last.notice);

  const [, namedMs = '', words = ''] = /^(\d+) (.*)$/s.exec(remembered.schedule ?? '') ?? [];
  const isSame = due?.words === words;
  if (due && !isSame) change('schedule', `${nowMs} ${due.words}`);
  if (!due && words !== '') change('schedule', 'off');

  const judged = judge(
    remembered.missing,
    { verdict: missingVerdict({ last, due: isSame ? due : undefined }, Number(namedMs), nowMs) },
    nowMs,
    { afterMs: 0, mendMs: 0 },
  );
  changes.push(
    ...changeOf(
      REPORT_SUBJECTS.missing,
      remembered.missing,
      judged,
      judged.tells?.is === 'bad' ? missingNotice(last, nowMs) : undefined,
    ),
  );
  return changes;
}

function missingVerdict(
  { last, due }: { last: LastReport | undefined; due: ReportsDue | undefined },
  namedMs: number,
  nowMs: number,
): Verdict {
  if (!due) return 'well';
  const [, oneBefore] = due.before(nowMs - MADE_WITHIN_MS);
  return oneBefore > namedMs && (last?.madeMs ?? 0) < oneBefore ? 'bad' : 'well';
}

function missingNotice(last: LastReport | undefined, atMs: number): Notice {
  return {
    kind: 'report',
    title: 'No nightly report came for two nights, although the schedule names it',
    facts: [
      { term: 'Last report', what: last ? new Date(last.madeMs).toISOString() : 'none so far' },
      { term: 'What to do', what: 'npx limitline schedule says who is on duty, and what became of the last run' },
    ],
    path: '/nightly',
    atMs,
  };
}
