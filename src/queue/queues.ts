import { type JobsOptions, type JobType, Queue } from 'bullmq';
import type { RedisConnection } from '../lua-script.ts';
import { type JobData, jobId, makeQueueLooks, QUEUES, type QueueName, rowOf } from './queue-looks.ts';

export { type JobData, QUEUES, type QueueName } from './queue-looks.ts';

export type NewJob = { queue: QueueName; name: string; data: JobData };

/** Keys of rows with a job, by portfolio. */
type KeysByPortfolio = ReadonlyMap<string, ReadonlySet<string>>;

export type Queues = ReturnType<typeof makeQueues>;

/**
 * Attempts after unexpected errors, over some two minutes, before the row is given up. Responses of the service and outages do not count as
 * attempts.
 */
export const ATTEMPTS = 8;

/** Failed jobs that each queue keeps. */
const KEPT_FAILED = 10_000;

const JOB_OPTIONS: JobsOptions = {
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: 1_000 },
  // BullMQ ignores an add with an id that it still has. A finished job is not needed, since the ledger keeps the row.
  removeOnComplete: true,
  // Failed jobs stay for the operators' dashboard; the ledger also has them.
  removeOnFail: { count: KEPT_FAILED },
  // Stack traces are in the log.
  stackTraceLimit: 0,
};

/** BullMQ always writes its event stream, which nobody reads: one page is kept in place of 10,000 entries. */
const STREAMS = { events: { maxLen: 100 } };

/** BullMQ's lists of jobs that do not run yet. */
const WAITING = ['wait', 'prioritized', 'delayed'] as const;

/** The states of a job that does not run yet, as BullMQ names them for one job. */
const WAITS: ReadonlySet<string> = new Set(['waiting', 'prioritized', 'delayed', 'paused']);

/** States in which a job will do nothing more for its row. */
const GONE: ReadonlySet<string> = new Set(['unknown', 'failed', 'completed']);

/** A delay in ms that is longer than any that is ever set: ten times BullMQ's wait before the last attempt. */
const LONGEST_DELAY_MS = 640_000;

/** The producers' side of the queues. A job's id is its row's name, so a row has at most one job in a queue. */
export function makeQueues(asked: { connection: RedisConnection; prefixOf: (queue: QueueName) => string }) {
  const { connection, prefixOf } = asked;
  const queues = Object.fromEntries(
    QUEUES.map((name) => [name, new Queue<JobData>(name, { connection, prefix: prefixOf(name), streams: STREAMS })]),
  ) as Record<QueueName, Queue<JobData>>;
  // Without a listener BullMQ prints every failed reconnect; the connections already log an outage.
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

  const statesOf = (row: JobData) => Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));

  return {
    ...makeQueueLooks(queues),

    /** BullMQ's own queues, for its dashboard. A change made there bypasses the ledger. */
    bullmq: queues as Readonly<typeof queues>,

    /**
     * Pauses a queue for all workers: jobs under way end, waiting ones stay, and more may be added. Its rows wait for {@link resumeQueue},
     * however long that takes.
     */
    pauseQueue: (name: QueueName): Promise<void> => queues[name].pause(),

    resumeQueue: (name: QueueName): Promise<void> => queues[name].resume(),

    /**
     * Adds a job for each row, unless the row already has a job in that queue.
     *
     * @param where behind all waiting jobs, or before them
     */
    async add(jobs: readonly NewJob[], where: 'behind' | 'before' = 'behind'): Promise<void> {
      const lifo = where === 'before';
      for (const queue of QUEUES) {
        const added = jobs.filter((job) => job.queue === queue);
        if (added.length === 0) continue;
        // With lifo the job that is added last runs first.
        if (lifo) added.reverse();
        await queues[queue].addBulk(
          added.map(({ name, data }) => ({ name, data, opts: { ...JOB_OPTIONS, lifo, jobId: jobId(data) } })),
        );
      }
    },

    /**
     * Adds one row's job. Safe to repeat, since the id is the same.
     *
     * @param delayMs earliest start from now
     * @param failed why the row failed at that step, without personal data: the job joins the failed ones as soon as it is taken up
     */
    async handOver(
      { queue, name, data }: NewJob,
      { delayMs = 0, failed }: { delayMs?: number; failed?: string } = {},
    ): Promise<void> {
      const payload = failed === undefined ? data : { ...data, failed };
      await queues[queue].add(name, payload, { ...JOB_OPTIONS, jobId: jobId(data), delay: delayMs });
    },

    /** Removes ended jobs of rows that are to run again; a running job stays, and ends by itself. */
    async forget(rows: readonly JobData[]): Promise<void> {
      const removals = rows.flatMap((row) => QUEUES.map((queue) => queues[queue].remove(jobId(row)).catch(() => 0)));
      await Promise.all(removals);
    },

    /**
     * Removes what a lost queue may have left of these jobs, so that they can be added again. A waiting job is removed too, which is harmless
     * if the row is fed again; a running one stays.
     */
    async clear(jobs: readonly NewJob[]): Promise<void> {
      await Promise.all(jobs.map(({ queue, data }) => queues[queue].remove(jobId(data)).catch(() => 0)));
    },

    /**
     * Gives a row its job if it has none, and answers whether it had none. A lost queue may have left a job's record that is in no list: it is
     * removed first, since BullMQ would take it for the job and ignore the add.
     */
    async restore(job: NewJob): Promise<boolean> {
      if (await this.hasJob(job.data)) return false;
      await this.forget([job.data]);
      await this.add([job]);
      return true;
    },

    /** Whether a row has a job, in any queue, that will still do something for it. */
    async hasJob(row: JobData): Promise<boolean> {
      return (await statesOf(row)).some((state) => !GONE.has(state));
    },

    /** Whether a row has a job, in any queue, that does not run yet. */
    async waits(row: JobData): Promise<boolean> {
      return (await statesOf(row)).some((state) => WAITS.has(state));
    },

    /** The jobs, among those given, of which BullMQ has any record, even one that is left of a lost job. */
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

    /** The jobs, among those given, that have failed and are kept, so that BullMQ would ignore adding them. */
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

    /** Removes what a lost queue may have left of a row's job; a real job stays. */
    async sweep(row: JobData): Promise<void> {
      if ((await statesOf(row)).every((state) => state === 'unknown')) await this.forget([row]);
    },

    /** Starts delayed jobs whose delay is longer than any that is ever set: a clock was ahead when they were delayed. */
    async hasten(): Promise<void> {
      for (const queue of Object.values(queues)) {
        // BullMQ's score is the time multiplied by 4,096.
        const [, score = '0'] = await connection.zrange(queue.toKey('delayed'), '-1', '-1', 'WITHSCORES');
        if (Number(score) / 4_096 > Date.now() + LONGEST_DELAY_MS) await queue.promoteJobs();
      }
    },

    /** Whether no job waits, is delayed or runs in any queue. */
    async areIdle(): Promise<boolean> {
      const kinds = ['wait', 'prioritized', 'delayed', 'active'] as const;
      const counts = await Promise.all(QUEUES.map((queue) => queues[queue].getJobCountByTypes(...kinds)));
      return counts.every((count) => count === 0);
    },

    /** Number of jobs that run, in all queues. */
    async running(): Promise<number> {
      const counts = await Promise.all(QUEUES.map((queue) => queues[queue].getActiveCount()));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    /** Number of jobs that do not run yet, delayed ones included, in all queues or some. */
    async depth(of: readonly QueueName[] = QUEUES): Promise<number> {
      const counts = await Promise.all(of.map((queue) => queues[queue].getJobCountByTypes(...WAITING)));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    /** Keys of the rows with a job that does not run yet, in all queues or some, by portfolio. */
    waiting: (of: readonly QueueName[] = QUEUES) => keysWithJob(WAITING, of),

    /** The rows whose job failed and is kept. */
    failedRows: () => keysWithJob(['failed'], QUEUES),

    /** The rows with a job that waits or runs: what is left to do for each portfolio. */
    alive: () => keysWithJob([...WAITING, 'active'], QUEUES),

    async close(): Promise<void> {
      await Promise.all(QUEUES.map((queue) => queues[queue].close()));
    },
  };
}
