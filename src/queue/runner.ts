import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { isLimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { ATTEMPTS, type JobData, type QueueName } from './queues.ts';

/** How a job's run ended, in the project's terms. */
export type JobEnd =
  /** Nothing is left to do here: the row is at its end, or with the next queue. */
  | { is: 'finished' }
  /** Not now, through no fault of the row's: it comes again after so many ms, and it costs no attempt. */
  | { is: 'later'; waitMs: number }
  /**
   * The row ended without success; the job stays among the failed ones, where an operator finds it with this message. It is
   * kept outside the ledger, so it names nobody.
   */
  | { is: 'failed'; message: string };

/** One kind of job, as the runner needs it. */
export type RunnableJob = {
  name: string;
  run: (data: unknown) => Promise<JobEnd>;
  /** Called when unexpected faults have used up the attempts: the row must not stay in progress for ever. */
  giveUp: (data: unknown, error: unknown) => Promise<void>;
};

export type QueueRunner = ReturnType<typeof makeRunner>;

/**
 * The ledger makes a second run harmless, so locks are short and stalls are many: a killed process's rows move again
 * within seconds. BullMQ's own defaults (30 s, one stall) would fail a row for good at its second crash.
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 2_000;
const MAX_STALLED = 1_000_000;

/** BullMQ waits this long when Redis fails it while it ends a job; its default of 15 s is longer than our lock. */
const RUN_RETRY_MS = 1_000;

/** Runs the jobs of one queue and turns their ends into BullMQ's terms; nobody else throws BullMQ's errors. */
export function makeRunner({
  connection,
  queue,
  prefix,
  concurrency,
  jobs,
  onDrained,
  log,
}: {
  connection: RedisConnection;
  queue: QueueName;
  prefix: string;
  concurrency: number;
  jobs: readonly RunnableJob[];
  onDrained: () => void;
  log: Log;
}) {
  const byName = new Map(jobs.map((job) => [job.name, job]));

  const process = async (job: Job<JobData>, token?: string): Promise<void> => {
    const kind = byName.get(job.name);
    if (!kind) throw new UnrecoverableError(`No job is called "${job.name}"; this worker is older than who added it.`);
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
      // What could not be written down because the connections are closed is for the next worker, and no fault.
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
  worker.on('error', (error) => log.debug({ queue, reason: messageOf(error) }, 'the queue met a fault'));
  worker.on('drained', onDrained);

  return {
    /** Jobs under way. */
    active: (): number => active,
    /** Takes no further job; jobs under way go on. */
    pause: (): Promise<void> => worker.pause(true),
    /** Takes up jobs again after a pause. */
    resume: (): Promise<void> => worker.resume(),
    /** Waits for the jobs under way, or leaves them where they are when `force` is set. */
    close: (force: boolean): Promise<void> => worker.close(force),
  };
}

/** What BullMQ keeps of an unexpected fault: its kind. Its words may quote what a row says of people; the log has them. */
function faultWithout(error: unknown): Error {
  return new Error(`Limitline itself failed here (${error instanceof Error ? error.name : typeof error}); see its log`);
}
