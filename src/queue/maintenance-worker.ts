import { type Job, WaitingError, Worker } from 'bullmq';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { MAINTENANCE, type MaintenanceJob, maintenanceOptions, type NextMoment, RUN_ATTEMPTS } from './maintenance.ts';

/** One run, as the worker receives it. */
export type MaintenanceRun = {
  task: string;
  dueMs: number;
  /** The person who asked for it; undefined if it is due by the schedule. */
  by: string | undefined;
  /** It is not tried again if it fails now. */
  isLastTry: boolean;
  /** Aborted when this process stops, or when another may have taken the run, because this one was silent for too long. */
  signal: AbortSignal;
};

/** How a run ended: finished, to be tried again after a pause, or left to another process at once. */
export type RunEnding = 'over' | 'again' | 'elsewhere';

export type MaintenanceWorker = ReturnType<typeof startMaintenanceWorker>;

/**
 * Another process takes a run when its own was silent for this long. A run may rewrite much at a time, so this is longer than for rows; and
 * nobody waits for it at night.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5_000;

/** The ledger counts how often a night was begun, and ends it. BullMQ's own limit would leave no reason. */
const MAX_STALLED = 1_000_000;

/** BullMQ waits this long when Redis fails while a job is being ended. */
const RUN_RETRY_MS = 1_000;

/** A run that was told to stop has this long; `up` kills after 25 s (scripts/up/child.ts). */
const STOP_DEADLINE_MS = 15_000;

/**
 * Takes up runs, one at a time over all processes that do.
 *
 * @param given.connection one that may block
 * @param given.lockMs see {@link LOCK_MS}; a third of it is the time between two checks for runs of dead processes. For tests
 */
export function startMaintenanceWorker({
  connection,
  prefix,
  nextMoment,
  run,
  log,
  lockMs = LOCK_MS,
}: {
  connection: RedisConnection;
  prefix: string;
  nextMoment: NextMoment;
  run: (run: MaintenanceRun) => Promise<RunEnding>;
  log: Log;
  lockMs?: number;
}) {
  const stopping = new AbortController();
  const underWay = new Map<string, AbortController>();

  const process = async (job: Job<MaintenanceJob>, token?: string): Promise<void> => {
    const lost = new AbortController();
    underWay.set(job.id ?? '', lost);
    try {
      const ending = await run({
        task: job.data.task,
        dueMs: job.data.dueMs ?? job.opts.prevMillis ?? job.timestamp,
        by: job.data.by,
        isLastTry: job.attemptsMade + 1 >= RUN_ATTEMPTS,
        signal: AbortSignal.any([stopping.signal, lost.signal]),
      });
      if (ending === 'again') throw new Error('failed; see the log, or limitline schedule');
      if (ending === 'over') return;
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      underWay.delete(job.id ?? '');
    }
  };

  const worker = new Worker<MaintenanceJob>(MAINTENANCE, process, {
    connection,
    ...maintenanceOptions({ prefix, nextMoment }),
    concurrency: 1,
    lockDuration: lockMs,
    // Redis accepts whole numbers only.
    stalledInterval: Math.min(STALLED_CHECK_MS, Math.floor(lockMs / 3)),
    maxStalledCount: MAX_STALLED,
    runRetryDelay: RUN_RETRY_MS,
  });
  worker.on('error', (error) => log.debug({ queue: MAINTENANCE, reason: messageOf(error) }, 'the queue met a fault'));
  worker.on('lockRenewalFailed', (ids: string[]) => {
    for (const id of ids) underWay.get(id)?.abort(new Error('another process may have taken this run over'));
  });

  return {
    /** Takes no new run, gives the current one {@link STOP_DEADLINE_MS} to end, and then leaves it to others. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), STOP_DEADLINE_MS);
      const first = await Promise.race([worker.close(), late.promise]);
      clearTimeout(timer);
      if (first === 'late') log.warn('stopped in the middle of a nightly run; another process goes on with it');
    },
  };
}
