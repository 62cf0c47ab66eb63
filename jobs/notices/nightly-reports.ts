import { counted, moneyText } from '../../src/counted.ts';
import { CHECKS, type NightReport, SECTIONS } from '../../src/ledger/nightly/checks.ts';
import { changeWords, countFindings, reportWords, SECTION_WORDS } from '../../src/ledger/nightly/compare-reports.ts';
import type { NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Reports } from '../../src/ledger/nightly/reports.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { latestMoment } from '../../src/schedule/moments.ts';
import { HOUR_MS } from '../../src/time-units.ts';
import { judge } from './condition.ts';
import { type SystemChange, systemChangeOf } from './service-changes.ts';

/** The task that makes reports, and who acts in scheduled runs (jobs/nightly/run-task.ts). */
const TASK = 'reconcile';
const NIGHTLY = 'nightly';

/** Reports read at a time. */
const PAGE = 20;

/** How late a scheduled report may be. A million rows take a minute, and missed nights are made up for soon. */
const MADE_WITHIN_MS = HOUR_MS;

/** Finds the last scheduled report, and the last scheduled time but one. Reports that a person requested cause no notice. */
export async function seeReports(
  { reports, nightlyRuns }: { reports: Pick<Reports, 'list'>; nightlyRuns: Pick<NightlyRuns, 'schedule'> },
  nowMs: number,
): Promise<SeenReports> {
  const entries = await nightlyRuns.schedule();
  const moments = (entries ?? [])
    .filter(({ task }) => task === TASK)
    .flatMap((entry) => {
      const latest = latestMoment(entry, nowMs - MADE_WITHIN_MS);
      return [latest, latestMoment(entry, latest - 1)].filter((moment) => moment > entry.sinceMs);
    });
  const [, dueMs] = [...new Set(moments)].sort((one, other) => other - one);
  const last = await lastOfNight(reports, dueMs ?? nowMs);
  return { last: last && { id: last.id, madeMs: last.madeMs, notice: reportNotice(last) }, dueMs };
}

/** The last scheduled report. Skips reports that people requested since, back to the time after which one counts as missing. */
async function lastOfNight(reports: Pick<Reports, 'list'>, dueMs: number): Promise<NightReport | undefined> {
  for (let beforeMs: number | undefined; ; ) {
    const made = await reports.list({ count: PAGE, ...(beforeMs !== undefined && { beforeMs }) });
    const last = made.find(({ by }) => by === NIGHTLY);
    beforeMs = made.at(-1)?.madeMs;
    if (last || made.length < PAGE || beforeMs === undefined || beforeMs < dueMs) return last;
  }
}

/**
 * The notice of a nightly report: findings by section and check, with rows and sums. Leaves out rows and texts of findings, so
 * that it contains no personal data.
 */
export function reportNotice(report: NightReport): Notice {
  const changed = changeWords(report);
  return {
    kind: 'report',
    title: `Nightly check: ${reportWords(report)}`,
    facts: [
      { term: 'Account', what: report.account },
      ...SECTIONS.flatMap((section) =>
        section === 'gone' || countFindings(report, section) === 0
          ? []
          : [{ term: SECTION_WORDS[section].title, what: checksOf(report, section) }],
      ),
      ...(changed === '' ? [] : [{ term: 'Since the report before', what: changed }]),
      ...(report.fault === undefined ? [] : [{ term: 'No files were left', what: 'see the report' }]),
    ],
    path: `/nightly/reports/${encodeURIComponent(report.id)}`,
    atMs: report.madeMs,
  };
}

export type LastReport = { id: string; madeMs: number; notice: Notice };

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

/** Facts about scheduled reports. `dueMs`: the last scheduled time but one; undefined without a schedule. */
type SeenReports = { last: LastReport | undefined; dueMs: number | undefined };

function checksOf({ groups }: NightReport, section: (typeof SECTIONS)[number]): string {
  return groups
    .filter((group) => group.section === section)
    .map(({ check, rows, sum, currency }) => {
      return `${CHECKS[check].title}: ${counted(rows, 'row')}${sum === undefined ? '' : `, ${moneyText(sum, currency)}`}`;
    })
    .join('; ');
}

function missingNotice(last: LastReport | undefined, atMs: number): Notice {
  return {
    kind: 'report',
    title: 'No nightly report was made for two nights, although the schedule has the nightly check',
    facts: [
      { term: 'Last report', what: last ? new Date(last.madeMs).toISOString() : 'none so far' },
      { term: 'What to do', what: 'npx limitline schedule says who is on duty, and what became of the last run' },
    ],
    path: '/nightly/automation',
    atMs,
  };
}
