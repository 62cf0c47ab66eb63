import type { HeldEntry, NightlyRuns, NightOf } from '../../src/ledger/nightly/nightly-runs.ts';
import { latestMoment, nextMoment } from '../../src/schedule/moments.ts';
import { type ScheduleEntry, TASKS } from '../../src/schedule/schedule.ts';

/** An entry whose moments count from a time on: from the beginning where none is given. */
type Since = ScheduleEntry | HeldEntry;

/** The latest moment of a task that has passed, in ms; none where the schedule does not name it, or only since then. */
export function latestOf(task: string, entries: readonly Since[], nowMs: number): number | undefined {
  const moments = entries
    .filter((entry) => entry.task === task)
    .map((entry) => ({ atMs: latestMoment(entry, nowMs), sinceMs: 'sinceMs' in entry ? entry.sinceMs : 0 }))
    .filter(({ atMs, sinceMs }) => atMs > sinceMs)
    .map(({ atMs }) => atMs);
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

/** The next moment of a task, in ms; none where the schedule does not name it. */
export function nextOf(task: string, entries: readonly ScheduleEntry[], nowMs: number): number | undefined {
  const moments = entries.filter((entry) => entry.task === task).map((entry) => nextMoment(entry, nowMs));
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

/**
 * The nights that are due, one a task and in the order in which they run: those of the latest moments that have passed, where no run
 * of that night, or of a later one, has ended. So whatever was missed is caught up with by one run.
 */
export async function dueNights(
  entries: readonly Since[],
  { runs, nowMs }: { runs: Pick<NightlyRuns, 'hasEnded'>; nowMs: number },
): Promise<NightOf[]> {
  const due: NightOf[] = [];
  for (const task of TASKS) {
    const atMs = latestOf(task, entries, nowMs);
    if (atMs === undefined) continue;
    const night = { task, id: new Date(atMs).toISOString(), atMs };
    if (!(await runs.hasEnded(night, nowMs))) due.push(night);
  }
  return due;
}
