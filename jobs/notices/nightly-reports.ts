import type { NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Reports } from '../../src/ledger/nightly/reports.ts';
import { latestMoment } from '../../src/schedule/moments.ts';
import type { SeenReports } from './report-changes.ts';
import { reportNotice } from './report-notice.ts';

/** Which task of the schedule makes reports, and who asks for them by it (jobs/nightly/run-task.ts). */
const TASK = 'reconcile';
const NIGHTLY = 'nightly';

/** So many of the latest are looked through for one that a night made: people may have asked for the others. */
const LOOKED_THROUGH = 20;

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
  const [made, entries] = await Promise.all([reports.list({ count: LOOKED_THROUGH }), nightlyRuns.schedule()]);
  const last = made.find(({ by }) => by === NIGHTLY);
  const moments = (entries ?? [])
    .filter(({ task }) => task === TASK)
    .flatMap((entry) => {
      const latest = latestMoment(entry, nowMs - MADE_WITHIN_MS);
      return [latest, latestMoment(entry, latest - 1)].filter((moment) => moment > entry.sinceMs);
    });
  const [, dueMs] = [...new Set(moments)].sort((one, other) => other - one);
  return { last: last && { id: last.id, madeMs: last.madeMs, notice: reportNotice(last) }, dueMs };
}
