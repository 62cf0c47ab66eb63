import { messageOf } from '../../src/errors.ts';
import type { HeldEntry, NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Log } from '../../src/log.ts';
import type { Maintenance } from '../../src/queue/maintenance.ts';
import type { ScheduleEntry } from '../../src/schedule/schedule.ts';
import { dueNights } from './due-tasks.ts';

type KeepDeps = {
  runs: NightlyRuns;
  maintenance: Maintenance;
  /** Who is on duty, this process among them. */
  onDuty: () => Promise<readonly { process: string }[]>;
  log: Log;
  now?: () => number;
};

/** So often it is looked whether the queue still has all schedulers: what a lost queue or a wrong clock spoilt is mended then. */
const LOOK_EVERY_MS = 60_000;

/** What is due for so long, and no scheduler ran, none will: the queue was lost, or a clock was wrong. */
const OVERDUE_MS = 120_000;

/**
 * Makes this schedule that of the account, and sees to it that it runs for as long as this process is there: whoever starts last
 * says what holds. What was missed while nobody was there is caught up with, one run a task.
 */
export async function startKeepingSchedule(entries: readonly ScheduleEntry[], deps: KeepDeps) {
  await enterSchedule(entries, deps);
  const timer = setInterval(() => {
    keepSchedule(deps, OVERDUE_MS).catch((error) => {
      deps.log.warn({ reason: messageOf(error) }, 'the schedule could not be looked after; tried again in a minute');
    });
  }, LOOK_EVERY_MS);
  return { stop: (): void => clearInterval(timer) };
}

/** Makes this schedule that of the account, and asks for what is overdue by it and by the one before. */
export async function enterSchedule(entries: readonly ScheduleEntry[], deps: KeepDeps): Promise<void> {
  const { runs, now = Date.now } = deps;
  const before = (await runs.schedule()) ?? [];
  // By the schedule as it was: an entry that is new has missed nothing, and one that is gone may have.
  await askForDue(
    before.filter(({ task }) => entries.some((entry) => entry.task === task)),
    deps,
    0,
  );
  await runs.hold(
    entries.map(({ task, pattern, tz }): HeldEntry => {
      const same = before.find((entry) => entry.task === task && entry.pattern === pattern && entry.tz === tz);
      // A clock that was ahead when the entry was new is no reason to miss what comes until then.
      return { task, pattern, tz, sinceMs: Math.min(same?.sinceMs ?? now(), now()) };
    }),
  );
  await keepSchedule(deps, 0);
}

/**
 * Sees to it that each entry of the schedule that holds has its scheduler, and asks for what should have run and did not.
 *
 * @param overdueMs what has been due for less than this is left to its scheduler
 */
export async function keepSchedule(deps: KeepDeps, overdueMs: number): Promise<void> {
  const { runs, maintenance, log, now = Date.now } = deps;
  const held = (await runs.schedule()) ?? [];
  const changed = await maintenance.keep(held, now());
  if (changed > 0) log.info({ schedule: held.map(entryText), changed }, 'the schedule of this account is in force');
  await askForDue(held, deps, overdueMs);
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

/** Whether a process that is there is at it. One that is gone may have left a run that nobody knows of any more. */
async function isUnderWay({ task, id }: { task: string; id: string }, { runs, onDuty }: KeepDeps): Promise<boolean> {
  const underWay = (await runs.read([task]))[task]?.underWay;
  return underWay?.id === id && (await onDuty()).some(({ process }) => process === underWay.process);
}

function entryText({ task, pattern, tz }: HeldEntry): string {
  return `${task} ${pattern} ${tz}`;
}
