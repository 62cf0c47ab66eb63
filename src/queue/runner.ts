import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { isForbidden, isLimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { ATTEMPTS, type JobData, type QueueName } from './queues.ts';

/** How a job's run ended. */
export type JobEnd =
  /** Nothing is left to do: the row has ended, or is in the next queue. */
  | { is: 'finished' }
  /** The row is not at fault: the job runs again after `waitMs`, and this does not count as an attempt. */
  | { is: 'later'; waitMs: number }
  /**
   * The row ended without success. The job is kept among the failed ones, with this message for operators; it must not contain personal
   * data, since it is kept outside the ledger.
   */
  | { is: 'failed'; message: string };

/** How the jobs of one queue are run and given up. */
export type RunnableJob = {
  name: string;
  run: (data: unknown) => Promise<JobEnd>;
  /** Called when unexpected errors have used up the attempts, so that the row does not stay in progress for ever. */
  giveUp: (data: unknown, error: unknown) => Promise<void>;
};

export type QueueRunner = ReturnType<typeof makeRunner>;

/**
 * How long a worker has a job without renewing its lock, in ms, and how often a job may lose its worker. Locks are short and stalls are
 * many, so that rows of a killed process go on within seconds; the ledger makes a second run harmless. BullMQ's defaults (30 s, one stall)
 * would fail a row for good at its second crash.
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 2_000;
const MAX_STALLED = 1_000_000;

/** BullMQ's wait after a failure of Redis while it ends a job; its default of 15 s is longer than our lock. */
const RUN_RETRY_MS = 1_000;

/** How often a missing right is said, which BullMQ meets each second, and within a script again at once. */
const SAY_EVERY_MS = 60_000;

/** Runs the jobs of one queue. A job's result becomes the error that BullMQ expects for it; only this file throws those errors. */
export function makeRunner(given: {
  connection: RedisConnection;
  queue: QueueName;
  prefix: string;
  concurrency: number;
  jobs: readonly RunnableJob[];
  onDrained: () => void;
  log: Log;
}) {
  const { connection, queue, prefix, concurrency, jobs, onDrained, log } = given;
  const byName = new Map(jobs.map((job) => [job.name, job]));

  const process = async (job: Job<JobData>, token?: string): Promise<void> => {
    const kind = byName.get(job.name);
    if (!kind) throw new UnrecoverableError(`No job is called "${job.name}"; a newer Limitline added it.`);
    const { failed } = job.data;
    if (failed !== undefined && job.attemptsMade === 0) throw new UnrecoverableError(failed);
    let end: JobEnd;
    try {
      end = await kind.run(job.data);
    } catch (error) {
      if (isLimitlineError(error, 'STOPPED')) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      // The connections are closing, so this is no fault of the job: the next worker runs it.
      if (worker.closing) throw faultWithout(error);
      log.error({ job: job.id, queue, err: error, attempt: job.attemptsMade + 1 }, 'a job met an unexpected fault');
      if (job.attemptsMade + 1 >= ATTEMPTS) await kind.giveUp(job.data, error);
      throw faultWithout(error);
    }
    if (end.is === 'failed') throw new UnrecoverableError(end.message);
    if (end.is === 'later') {
      await job.moveToDelayed(Date.now() + end.waitMs, token);
      throw new DelayedError();
    }
  };

  let active = 0;
  const counted = (job: Job<JobData>, token?: string): Promise<void> => {
    active += 1;
    return process(job, token).finally(() => {
      active -= 1;
    });
  };

  const worker = new Worker<JobData>(queue, counted, {
    connection,
    prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_STALLED,
    runRetryDelay: RUN_RETRY_MS,
  });
  let saidMs = Number.NEGATIVE_INFINITY;
  worker.on('error', (error) => {
    const reason = messageOf(error);
    const isNews = isForbidden(error) && performance.now() - saidMs >= SAY_EVERY_MS;
    if (!isNews) return log.debug({ queue, reason }, 'the queue met a fault');
    saidMs = performance.now();
    log.error(
      { queue, reason },
      'Redis refuses what takes up rows, so none goes on; give its user the rights that docs/deployment.md names',
    );
  });
  worker.on('drained', onDrained);

  return {
    /** Number of jobs under way. */
    active: (): number => active,
    /** Takes no further job; jobs under way go on. */
    pause: (): Promise<void> => worker.pause(true),
    /** Takes up jobs again after a pause. */
    resume: (): Promise<void> => worker.resume(),
    /** Waits for the jobs under way, or leaves them where they are when `force` is set. */
    close: (force: boolean): Promise<void> => worker.close(force),
  };
}

/** The error that BullMQ keeps: only its kind, since its message may contain personal data of a row; the log has the error. */
function faultWithout(error: unknown): Error {
  return new Error(`Limitline itself failed here (${error instanceof Error ? error.name : typeof error}); see its log`);
}
