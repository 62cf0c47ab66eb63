import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTaskRunner } from '../../jobs/nightly/run-task.ts';
import { nightlyTasks } from '../../jobs/nightly/tasks.ts';
import type { Context } from '../../src/context.ts';
import type { NightOf, RunEnd } from '../../src/ledger/nightly/nightly-runs.ts';
import { MAINTENANCE, type MaintenanceJob } from '../../src/queue/maintenance.ts';
import { type MaintenanceWorker, startMaintenanceWorker } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { FAULT_STATUS, PROBLEMS_STATUS } from '../process/exit-status.ts';
import { printReport } from './report-table.ts';

/** How often the end of a run is checked, with one command of Redis. */
const LOOK_EVERY_MS = 250;

/** Runs nightly tasks in this process, one at a time over all processes. */
export function startNightWorker(context: Context): MaintenanceWorker {
  const { keys, log, nightlyRuns: runs, audit, marks, processId, settings } = context;
  const from = commandLineFrom();
  const tasks = nightlyTasks({ ...context, printReport, days: settings.LIMITLINE_AUDIT_DAYS });
  return startMaintenanceWorker({
    connection: context.redis.connect('worker'),
    prefix: keys.queuePrefix(MAINTENANCE),
    nextMoment,
    run: makeTaskRunner({ tasks, runs, audit, marks, from, processId, host: hostname(), log }),
    log,
  });
}

/** A night to run, and who asks for it and from where; nobody for a scheduled one. */
type WantedNight = NightOf & Pick<MaintenanceJob, 'by' | 'from'>;

/** A requested night and its result; undefined if it was not awaited. */
export type NightEnd = { task: string; night: string; end: RunEnd | undefined };

/**
 * Requests these nights and waits for their ends in order. This or another process on duty runs them.
 *
 * @param given.signal stops waiting: the run under way is left to others, and the rest has no result
 */
export async function runNights(
  nights: readonly WantedNight[],
  context: Context,
  { signal }: { signal: AbortSignal },
): Promise<NightEnd[]> {
  if (nights.length === 0) return [];
  const { nightlyRuns: runs } = context;
  const maintenance = context.maintenance();
  // Sets the limit of one run at a time, which may not be set yet: perhaps no process was ever on duty here.
  await maintenance.oneAtATime();
  for (const { task, atMs, by, from } of nights)
    await maintenance.add({ task, dueMs: atMs, ...(by !== undefined && { by }), ...(from !== undefined && { from }) });
  const worker = startNightWorker(context);
  const ends: NightEnd[] = [];
  try {
    for (const night of nights) {
      const ended = await untilEnded(() => runs.hasEnded(night, Date.now()), signal);
      const known = ended ? (await runs.read([night.task]))[night.task]?.last : undefined;
      ends.push({ task: night.task, night: night.id, end: known });
    }
    return ends;
  } finally {
    await worker.stop();
  }
}

export function nightWords(ends: readonly NightEnd[]): string {
  if (ends.length === 0) return 'Nothing was due.';
  return ends.map(({ task, end }) => `${task}: ${wordsOf(end)}`).join('\n');
}

function wordsOf(end: NightEnd['end']): string {
  if (!end) return 'stopped before its end; it goes on with the next pass, or with whoever is on duty.';
  return `${end.is === 'failed' ? 'FAILED. ' : ''}${end.words}`;
}

/** The exit status: 1 if a task failed or was not done, 2 if a check has findings, else 0. */
export function statusOf(ends: readonly NightEnd[]): number {
  if (ends.some(({ end }) => end === undefined || end.is === 'failed')) return FAULT_STATUS;
  return ends.some(({ end }) => end?.is === 'findings') ? PROBLEMS_STATUS : 0;
}

/** Whether the run ended before the signal. */
async function untilEnded(hasEnded: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await hasEnded()) return true;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}
