import { counted } from '../../src/counted.ts';
import { CHECKS } from '../../src/ledger/nightly/checks.ts';
import { changeWords, countFindings, reportWords, SECTION_WORDS } from '../../src/ledger/nightly/compare-reports.ts';
import { type NightReport, SECTIONS } from '../../src/ledger/nightly/night-report.ts';
import type { NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Reports } from '../../src/ledger/nightly/reports.ts';
import { moneyText } from '../../src/money-text.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { latestMoment } from '../../src/schedule/moments.ts';
import type { SeenReports } from './report-changes.ts';

/** Which task of the schedule makes reports, and who asks for them by it (jobs/nightly/run-task.ts). */
const TASK = 'reconcile';
const NIGHTLY = 'nightly';

/** So many reports are read at a time. */
const PAGE = 20;

/** A report of a million rows is made in a minute, and a night that was missed is caught up with as soon as somebody is there. */
const MADE_WITHIN_MS = 3_600_000;

/**
 * Sees which report a night made last, and at which moment but the last one was due by the schedule that is kept. Whoever asked for
 * another sees it without being told.
 */
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

/**
 * The last report that a night made. People may have asked for any number since: those are looked through as far as one would have
 * to be that is no longer missing.
 */
async function lastOfNight(reports: Pick<Reports, 'list'>, dueMs: number): Promise<NightReport | undefined> {
  for (let beforeMs: number | undefined; ; ) {
    const made = await reports.list({ count: PAGE, ...(beforeMs !== undefined && { beforeMs }) });
    const last = made.find(({ by }) => by === NIGHTLY);
    beforeMs = made.at(-1)?.madeMs;
    if (last || made.length < PAGE || beforeMs === undefined || beforeMs < dueMs) return last;
  }
}

/**
 * What is told of a nightly report: how much was found in each of its parts, by check, with rows and sums. Words of findings are
 * left out, since the service's own may stand in them, and so are rows: nothing in it is of a person. Pure.
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

/** `Refused by the service: 12 rows, 45,000.00; Held …: 1 row` */
function checksOf({ groups }: NightReport, section: (typeof SECTIONS)[number]): string {
  return groups
    .filter((group) => group.section === section)
    .map(({ check, rows, sum }) => {
      return `${CHECKS[check].title}: ${counted(rows, 'row')}${sum === undefined ? '' : `, ${moneyText(sum)}`}`;
    })
    .join('; ');
}
