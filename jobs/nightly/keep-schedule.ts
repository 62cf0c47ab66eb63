import { messageOf } from '../../src/errors.ts';
import type { HeldEntry, NightlyRuns, NightOf } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Log } from '../../src/log.ts';
import type { Maintenance } from '../../src/queue/maintenance.ts';
import { latestMoment, nextMoment } from '../../src/schedule/moments.ts';
import { type ScheduleEntry, TASKS } from '../../src/schedule/schedule.ts';

type KeepDeps = {
  runs: NightlyRuns;
  maintenance: Maintenance;
  onDuty: () => Promise<readonly { process: string }[]>;
  log: Log;
  now?: () => number;
};

/** How often the queue is checked for missing schedulers, after a lost queue or a wrong clock. */
const LOOK_EVERY_MS = 60_000;

/**
 * How long, in ms, after its time a task without a run counts as overdue. Its scheduler then does not work: the queue was lost, or a clock
 * was wrong.
 */
const OVERDUE_MS = 120_000;

/**
 * Makes `entries` the account's schedule, and keeps it running while this process runs. The process that starts last determines the
 * schedule. Runs missed while no process ran are made up for, once per task.
 */
export async function startKeepingSchedule(entries: readonly ScheduleEntry[], deps: KeepDeps) {
  await enterSchedule(entries, deps);
  const timer = setInterval(() => {
    keepSchedule(deps, OVERDUE_MS).catch((error) => {
      deps.log.warn({ reason: messageOf(error) }, 'the schedule could not be checked; trying again in a minute');
    });
  }, LOOK_EVERY_MS);
  return { stop: (): void => clearInterval(timer) };
}

/** Makes `entries` the account's schedule, and requests overdue runs of the new and the earlier schedule. */
export async function enterSchedule(entries: readonly ScheduleEntry[], deps: KeepDeps): Promise<void> {
  const { runs, now = Date.now } = deps;
  const before = (await runs.schedule()) ?? [];
  // Overdue runs are judged by the earlier schedule. A new entry has missed nothing, and an entry that is removed now may have missed a
  // run.
  await askForDue(
    before.filter(({ task }) => entries.some((entry) => entry.task === task)),
    deps,
    0,
  );
  await runs.hold(
    entries.map(({ task, pattern, tz }): HeldEntry => {
      const same = before.find((entry) => entry.task === task && entry.pattern === pattern && entry.tz === tz);
      // If the clock was ahead when an entry was added, `sinceMs` lies in the future, and would suppress runs until then.
      return { task, pattern, tz, sinceMs: Math.min(same?.sinceMs ?? now(), now()) };
    }),
  );
  await keepSchedule(deps, 0);
}

/**
 * Adds missing schedulers, and requests runs that are overdue.
 *
 * @param overdueMs younger runs are left to their scheduler
 */
export async function keepSchedule(deps: KeepDeps, overdueMs: number): Promise<void> {
  const { runs, maintenance, log, now = Date.now } = deps;
  const held = (await runs.schedule()) ?? [];
  const changed = await maintenance.keep(held, now());
  if (changed > 0)
    log.info(
      { schedule: held.map(({ task, pattern, tz }) => `${task} ${pattern} ${tz}`), changed },
      'the schedule of this account is in force',
    );
  await askForDue(held, deps, overdueMs);
}

/** A schedule entry, perhaps with the time from which it counts. */
type Since = ScheduleEntry | HeldEntry;

/** A task's last scheduled time in ms; nothing where the task is not in the schedule, or came into it after that time. */
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

async function askForDue(entries: readonly HeldEntry[], deps: KeepDeps, overdueMs: number): Promise<void> {
  const { runs, maintenance, log, now = Date.now } = deps;
  const nowMs = now();
  for (const { task, id, atMs } of await dueNights(entries, { runs, nowMs })) {
    if (nowMs - atMs < overdueMs || (await isUnderWay({ task, id }, deps))) continue;
    log.info({ task, night: id }, `${task} was due and has not run yet; it runs as soon as it can`);
    await maintenance.add({ task, dueMs: atMs });
  }
}

/** Whether a living process is running the night. A process that died may still be recorded as running it. */
async function isUnderWay({ task, id }: { task: string; id: string }, { runs, onDuty }: KeepDeps): Promise<boolean> {
  const underWay = (await runs.read([task]))[task]?.underWay;
  return underWay?.id === id && (await onDuty()).some(({ process }) => process === underWay.process);
}
