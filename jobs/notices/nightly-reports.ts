import type { Notice } from '../../src/notices/notice.ts';
import type { ScheduleEntry } from '../../src/schedule/schedule.ts';
import type { SeenReports } from './report-changes.ts';

/** A report as far as it is looked at here. */
type NightReport = { id: string; by: string; madeMs: number };

/** Which task of the schedule makes reports, and who acts when the schedule does. */
const TASK = 'reconcile';
const NIGHTLY = 'nightly';

/** So many of the latest are looked through for one that a night made: people may have asked for the others. */
const LOOKED_THROUGH = 50;

/** A report of a million rows is made in a minute, and a night that was missed is caught up with as soon as somebody is there. */
const MADE_WITHIN_MS = 3_600_000;

/**
 * Makes a function that sees which report a night made last, and at which moment but the last one was due. What people asked for is
 * seen by them; and where the schedule is kept by nobody, none is due.
 *
 * @param latestMoment the last moment of an entry up to this one, in ms
 */
export function makeNightlyReports<Report extends NightReport>({
  list,
  toNotice,
  schedule,
  latestMoment,
}: {
  list: (wanted: { count: number }) => Promise<readonly Report[]>;
  toNotice: (report: Report) => Notice;
  schedule: () => Promise<readonly (ScheduleEntry & { sinceMs: number })[] | undefined>;
  latestMoment: (entry: ScheduleEntry, atMs: number) => number;
}): (nowMs: number) => Promise<SeenReports> {
  return async (nowMs) => {
    const [reports, entries] = await Promise.all([list({ count: LOOKED_THROUGH }), schedule()]);
    const last = reports.find(({ by }) => by === NIGHTLY);
    const moments = (entries ?? [])
      .filter(({ task }) => task === TASK)
      .flatMap((entry) => {
        const latest = latestMoment(entry, nowMs - MADE_WITHIN_MS);
        return [latest, latestMoment(entry, latest - 1)].filter((moment) => moment > entry.sinceMs);
      });
    const [, dueMs] = [...new Set(moments)].sort((one, other) => other - one);
    return { last: last && { id: last.id, madeMs: last.madeMs, notice: toNotice(last) }, dueMs };
  };
}
