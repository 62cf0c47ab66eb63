import { type JobsOptions, type JobType, Queue } from 'bullmq';
import type { RedisConnection } from '../lua-script.ts';
import { type JobData, jobId, QUEUES, type QueueName, rowOf } from './names.ts';
import { makeQueueLooks } from './queue-looks.ts';

export { type JobData, QUEUES, type QueueName } from './names.ts';

export type NewJob = { queue: QueueName; name: string; data: JobData };

/** The keys of rows that have a job, by portfolio. */
type KeysByPortfolio = ReadonlyMap<string, ReadonlySet<string>>;

export type Queues = ReturnType<typeof makeQueues>;

/**
 * How often a job is tried again after an unexpected fault, over some two minutes, before its row is given up. Answers of the service and
 * outages do not count as attempts.
 */
export const ATTEMPTS = 8;

/** Failed jobs that each queue keeps. */
export const KEPT_FAILED = 10_000;

const JOB_OPTIONS: JobsOptions = {
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: 1_000 },
  // A finished job must be removed: BullMQ ignores a new job whose id it still knows. The ledger keeps the row anyway.
  removeOnComplete: true,
  // Some failed jobs stay for the operators' dashboard. The ledger records all of them.
  removeOnFail: { count: KEPT_FAILED },
  // Faults are in the log, so Redis keeps no stack traces.
  stackTraceLimit: 0,
};

/** Nobody reads BullMQ's events, but they cannot be turned off. Its stream keeps one page of them instead of 10,000. */
const STREAMS = { events: { maxLen: 100 } };

/** The states of a job that has not started yet, in the names of BullMQ's lists. */
const WAITING = ['wait', 'prioritized', 'delayed'] as const;

/** The same states, in the names that BullMQ uses for a single job. */
const WAITS: ReadonlySet<string> = new Set(['waiting', 'prioritized', 'delayed', 'paused']);

/** The states of a job that will do nothing more for its row. */
const GONE: ReadonlySet<string> = new Set(['unknown', 'failed', 'completed']);

/** Ten times as long as BullMQ waits before the last attempt. No job is delayed for longer. */
const LONGEST_DELAY_MS = 640_000;

/** The queues, for adding jobs. A job's id is its row's name, so a row has at most one job in a queue. */
export function makeQueues({
  connection,
  prefixOf,
}: {
  connection: RedisConnection;
  prefixOf: (queue: QueueName) => string;
}) {
  const queues = Object.fromEntries(
    QUEUES.map((name) => [name, new Queue<JobData>(name, { connection, prefix: prefixOf(name), streams: STREAMS })]),
  ) as Record<QueueName, Queue<JobData>>;
  // Without a listener BullMQ prints each failed attempt to reconnect. Our connections log once that Redis is away.
  for (const name of QUEUES) queues[name].on('error', () => {});

  const keysWithJob = async (kinds: readonly JobType[], of: readonly QueueName[]): Promise<KeysByPortfolio> => {
    const found = new Map<string, Set<string>>();
    const ids = await Promise.all(of.map((queue) => queues[queue].getRanges([...kinds], 0, -1)));
    for (const { portfolio, key } of ids.flat().map(rowOf)) {
      const keys = found.get(portfolio) ?? new Set();
      found.set(portfolio, keys.add(key));
    }
    return found;
  };

  return {
    ...makeQueueLooks(queues),

    /** BullMQ's queues, for its dashboard. Changing them directly bypasses the ledger. */
    bullmq: queues as Readonly<typeof queues>,

    /** Pauses a queue for all workers. Running jobs end, waiting jobs stay, and jobs can still be added. Its rows wait until {@link resumeQueue}. */
    pauseQueue: (name: QueueName): Promise<void> => queues[name].pause(),

    /** Resumes a queue. */
    resumeQueue: (name: QueueName): Promise<void> => queues[name].resume(),

    /**
     * Adds a job for each row. BullMQ ignores a job if its row already has one in that queue.
     *
     * @param where after all waiting jobs, or before them
     */
    async add(jobs: readonly NewJob[], where: 'behind' | 'before' = 'behind'): Promise<void> {
      const lifo = where === 'before';
      for (const queue of QUEUES) {
        const added = jobs.filter((job) => job.queue === queue);
        if (added.length === 0) continue;
        // Each job goes to the front, so the one to be taken first must be added last.
        if (lifo) added.reverse();
        await queues[queue].addBulk(
          added.map(({ name, data }) => ({ name, data, opts: { ...JOB_OPTIONS, lifo, jobId: jobId(data) } })),
        );
      }
    },

    /**
     * Adds the job of one row to the next queue. Repeating this is harmless, because the job's id is the same.
     *
     * @param delayMs how long the job must wait
     * @param failed why the row failed, without personal data: the job is then stored as failed when it is taken up
     */
    async handOver(
      { queue, name, data }: NewJob,
      { delayMs = 0, failed }: { delayMs?: number; failed?: string } = {},
    ): Promise<void> {
      const payload = failed === undefined ? data : { ...data, failed };
      await queues[queue].add(name, payload, { ...JOB_OPTIONS, jobId: jobId(data), delay: delayMs });
    },

    /** Removes the ended jobs of rows that are to run again. A running job stays until it ends. */
    async forget(rows: readonly JobData[]): Promise<void> {
      const removals = rows.flatMap((row) => QUEUES.map((queue) => queues[queue].remove(jobId(row)).catch(() => 0)));
      await Promise.all(removals);
    },

    /**
     * Removes what a lost queue may have left of these jobs, so that they can be added again. A job that is waiting after all is removed
     * too, which is harmless if the row is fed again. A running job stays.
     */
    async clear(jobs: readonly NewJob[]): Promise<void> {
      await Promise.all(jobs.map(({ queue, data }) => queues[queue].remove(jobId(data)).catch(() => 0)));
    },

    /**
     * Adds a row's job if the row has none, and returns whether it had none. A job's record that is in no list, left by a lost queue, is
     * removed first: BullMQ would treat it as the job and ignore the new one.
     */
    async restore(job: NewJob): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(job.data))));
      if (states.some((state) => !GONE.has(state))) return false;
      await this.forget([job.data]);
      await this.add([job]);
      return true;
    },

    /** Whether any queue has a job that will still do something for the row. */
    async hasJob(row: JobData): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      return states.some((state) => !GONE.has(state));
    },

    /** Whether any queue has a job of the row that has not started yet. */
    async waits(row: JobData): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      return states.some((state) => WAITS.has(state));
    },

    /** Those of these jobs that BullMQ has any record of: a real job, or the rest of a lost one. */
    async known(jobs: readonly NewJob[]): Promise<NewJob[]> {
      const found: NewJob[] = [];
      for (const name of QUEUES) {
        const ofQueue = jobs.filter((job) => job.queue === name);
        if (ofQueue.length === 0) continue;
        const step = connection.pipeline();
        for (const { data } of ofQueue) step.exists(queues[name].toKey(jobId(data)));
        const answers = (await step.exec()) ?? [];
        found.push(...ofQueue.filter((_, place) => answers[place]?.[1] === 1));
      }
      return found;
    },

    /** Those of these jobs that are kept as failed. BullMQ would ignore a new job with the same id. */
    async failedOf(jobs: readonly NewJob[]): Promise<NewJob[]> {
      const found: NewJob[] = [];
      for (const name of QUEUES) {
        const ofQueue = jobs.filter((job) => job.queue === name);
        if (ofQueue.length === 0 || (await queues[name].getFailedCount()) === 0) continue;
        const look = connection.pipeline();
        for (const { data } of ofQueue) look.zscore(queues[name].toKey('failed'), jobId(data));
        const answers = (await look.exec()) ?? [];
        found.push(...ofQueue.filter((_, place) => typeof answers[place]?.[1] === 'string'));
      }
      return found;
    },

    /** Removes what a lost queue may have left of a row's job. A real job stays. */
    async sweep(row: JobData): Promise<void> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      if (states.every((state) => state === 'unknown')) await this.forget([row]);
    },

    /** Starts delayed jobs whose delay is longer than any that we set: the clock was ahead when they were delayed. */
    async hasten(): Promise<void> {
      for (const queue of Object.values(queues)) {
        // BullMQ stores the due time above 12 bits of its own.
        const [, score = '0'] = await connection.zrange(queue.toKey('delayed'), '-1', '-1', 'WITHSCORES');
        if (Number(score) / 4_096 > Date.now() + LONGEST_DELAY_MS) await queue.promoteJobs();
      }
    },

    /** Whether no queue has a job that waits, is delayed or runs. */
    async areIdle(): Promise<boolean> {
      const kinds = ['wait', 'prioritized', 'delayed', 'active'] as const;
      const counts = await Promise.all(QUEUES.map((queue) => queues[queue].getJobCountByTypes(...kinds)));
      return counts.every((count) => count === 0);
    },

    /** The number of jobs that have not started yet, in all or some queues. Delayed jobs count. */
    async depth(of: readonly QueueName[] = QUEUES): Promise<number> {
      const counts = await Promise.all(of.map((queue) => queues[queue].getJobCountByTypes(...WAITING)));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    /** The rows of these jobs: their keys, by portfolio. */
    waiting: (of: readonly QueueName[] = QUEUES) => keysWithJob(WAITING, of),

    /** The rows whose failed job is kept. */
    failedRows: () => keysWithJob(['failed'], QUEUES),

    /** The same, with running jobs: the rows that are not finished, by portfolio. */
    alive: () => keysWithJob([...WAITING, 'active'], QUEUES),

    async close(): Promise<void> {
      await Promise.all(QUEUES.map((queue) => queues[queue].close()));
    },
  };
}
