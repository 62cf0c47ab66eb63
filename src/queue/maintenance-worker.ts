import { type Job, WaitingError, Worker } from 'bullmq';
import { messageOf } from '../errors.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { MAINTENANCE, type MaintenanceJob, maintenanceOptions, type NextMoment, RUN_ATTEMPTS } from './maintenance.ts';

/** A run of a maintenance task that this worker has taken up. */
export type MaintenanceRun = {
  task: string;
  dueMs: number;
  /** Who asked for the run; undefined for a scheduled one. */
  by: string | undefined;
  /** The origin of the request, for the audit trail; undefined for a scheduled run. */
  from: string | undefined;
  /** Whether the run is not retried if it fails now. */
  isLastTry: boolean;
  /** Aborted when this process stops, or when another may have taken the run over, since this process could not renew its lock. */
  signal: AbortSignal;
};

/** The outcome of a run: over, to be retried after a pause, or left to another process at once. */
export type RunEnding = 'over' | 'again' | 'elsewhere';

export type MaintenanceWorker = ReturnType<typeof startMaintenanceWorker>;

/**
 * Another process takes a run over after its lock was not renewed for this long. Longer than for rows: a run may write much at a time, and
 * nobody waits for it at night.
 */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5_000;

/**
 * How often BullMQ lets a run be taken over after its process died: practically without limit. The ledger counts how often a night began,
 * and ends it with a reason, which BullMQ's own limit would not give.
 */
const MAX_STALLED = 1_000_000;

/** BullMQ's wait after a failure of Redis while it ends a job. */
const RUN_RETRY_MS = 1_000;

/** Time for a run to stop; `up` kills after 25 s (scripts/commands/up.ts). */
const STOP_DEADLINE_MS = 15_000;

/**
 * Takes up runs, one at a time over all processes.
 *
 * @param given.connection may block
 * @param given.lockMs see {@link LOCK_MS}; runs of dead processes are looked for at a third of it. For tests
 */
export function startMaintenanceWorker(given: {
  connection: RedisConnection;
  prefix: string;
  nextMoment: NextMoment;
  run: (run: MaintenanceRun) => Promise<RunEnding>;
  log: Log;
  lockMs?: number;
}) {
  const { connection, prefix, nextMoment, run, log, lockMs = LOCK_MS } = given;
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
        from: job.data.from,
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
    // Redis only takes whole milliseconds.
    stalledInterval: Math.min(STALLED_CHECK_MS, Math.floor(lockMs / 3)),
    maxStalledCount: MAX_STALLED,
    runRetryDelay: RUN_RETRY_MS,
  });
  worker.on('error', (error) => log.debug({ queue: MAINTENANCE, reason: messageOf(error) }, 'the queue met a fault'));
  worker.on('lockRenewalFailed', (ids: string[]) => {
    for (const id of ids) underWay.get(id)?.abort(new Error('another process may have taken this run over'));
  });

  return {
    /** Takes up nothing more, waits up to {@link STOP_DEADLINE_MS} for the run under way, and then leaves it to others. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      const late = () => log.warn('stopped in the middle of a nightly run; another process goes on with it');
      await inTime(worker.close(), STOP_DEADLINE_MS, late);
    },
  };
}
