import type { Notice } from '../../src/notices/notice.ts';
import { judge } from './condition.ts';
import { type SystemChange, systemChangeOf } from './service-changes.ts';

/** The last scheduled report and its notice. */
export type LastReport = { id: string; madeMs: number; notice: Notice };

/** Facts about scheduled reports. `dueMs`: the last scheduled time but one; undefined without a schedule. */
export type SeenReports = { last: LastReport | undefined; dueMs: number | undefined };

export const REPORT_SUBJECTS = { report: 'nightly report', missing: 'nightly report missing' } as const;

type Remembered = { [Subject in keyof typeof REPORT_SUBJECTS]?: string | undefined };

/**
 * Finds out whether there is a new scheduled report, and whether two scheduled ones are missing.
 *
 * @param sinceMs when the first pass was; undefined in the first pass, which only stores states
 */
export function reportChanges(
  { last, dueMs }: SeenReports,
  remembered: Remembered,
  { nowMs, sinceMs }: { nowMs: number; sinceMs: number | undefined },
): SystemChange[] {
  const changes: SystemChange[] = [];
  const [was, state] = [remembered.report ?? '', last && `report ${last.id}`];
  if (state !== undefined && state !== was) {
    const isNews = sinceMs !== undefined && last !== undefined && last.madeMs > sinceMs;
    changes.push({ subject: REPORT_SUBJECTS.report, was, state, ...(isNews ? { notice: last.notice } : {}) });
  }
  const isMissing = dueMs !== undefined && (last?.madeMs ?? 0) < dueMs;
  const judged = judge(remembered.missing, { observed: isMissing ? 'bad' : 'well' }, nowMs, { afterMs: 0, mendMs: 0 });
  const notice = judged.tells?.is === 'bad' ? missingNotice(last, nowMs) : undefined;
  return [...changes, ...systemChangeOf(REPORT_SUBJECTS.missing, remembered.missing, judged, notice)];
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
