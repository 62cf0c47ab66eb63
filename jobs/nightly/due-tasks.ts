import type { HeldEntry, NightlyRuns, NightOf } from '../../src/ledger/nightly/nightly-runs.ts';
import { latestMoment, nextMoment } from '../../src/schedule/moments.ts';
import { type ScheduleEntry, TASKS } from '../../src/schedule/schedule.ts';

/** A schedule entry, perhaps with the time from which it counts. */
type Since = ScheduleEntry | HeldEntry;

/** A task's last scheduled time in ms; nothing where the task is not scheduled, or was scheduled later than that. */
export function latestOf(task: string, entries: readonly Since[], nowMs: number): number | undefined {
  const moments = entries
    .filter((entry) => entry.task === task)
    .map((entry) => ({ atMs: latestMoment(entry, nowMs), sinceMs: 'sinceMs' in entry ? entry.sinceMs : 0 }))
    .filter(({ atMs, sinceMs }) => atMs > sinceMs)
    .map(({ atMs }) => atMs);
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

/** A task's next scheduled time in ms; nothing where the task is not scheduled. */
export function nextOf(task: string, entries: readonly ScheduleEntry[], nowMs: number): number | undefined {
  const moments = entries.filter((entry) => entry.task === task).map((entry) => nextMoment(entry, nowMs));
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

/**
 * The nights that are due, at most one per task, in the order in which they run. A night is due if its scheduled time has
 * passed and no run of it or a later night has ended. One run makes up for all missed ones.
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
