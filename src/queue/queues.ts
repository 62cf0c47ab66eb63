import { type JobsOptions, type JobType, Queue } from 'bullmq';
import type { RedisConnection } from '../lua-script.ts';
import { type JobData, jobId, QUEUES, type QueueName, rowOf } from './names.ts';
import { makeQueueLooks } from './queue-looks.ts';

export { type JobData, QUEUES, type QueueName } from './names.ts';

export type NewJob = { queue: QueueName; name: string; data: JobData };

/** The keys of the rows that have a job, by their portfolio. */
type KeysByPortfolio = ReadonlyMap<string, ReadonlySet<string>>;

export type Queues = ReturnType<typeof makeQueues>;

/**
 * Unexpected faults (not answers of the service, nor outages: those cost no attempt) are tried again this often, over
 * some two minutes, before the row is given up.
 */
export const ATTEMPTS = 8;

/** Failed jobs that each queue keeps. */
export const KEPT_FAILED = 10_000;

const JOB_OPTIONS: JobsOptions = {
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: 1_000 },
  // A finished job must go: BullMQ ignores an add with an id that it still knows, and the ledger remembers the row.
  removeOnComplete: true,
  // Failed jobs stay for the operators' dashboard; the ledger has all of them.
  removeOnFail: { count: KEPT_FAILED },
  // Nobody looks for our faults in Redis: the log has them.
  stackTraceLimit: 0,
};

/** Nobody reads BullMQ's events, and it cannot be told to write none: one page of its stream, where it would keep 10,000. */
const STREAMS = { events: { maxLen: 100 } };

/** States in which a job is not being run yet. */
const WAITING = ['wait', 'prioritized', 'delayed'] as const;

/** The same as BullMQ tells them of one job. */
const WAITS: ReadonlySet<string> = new Set(['waiting', 'prioritized', 'delayed', 'paused']);

/** States in which a job does nothing more for its row. */
const GONE: ReadonlySet<string> = new Set(['unknown', 'failed', 'completed']);

/** Ten times what BullMQ waits before the last attempt; whatever else is put off comes sooner. */
const LONGEST_DELAY_MS = 640_000;

/** The producers' side of the queues. A job's id is its row's name, so a row has one job at the most in a queue. */
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
  // BullMQ prints every failed try to reconnect where nobody listens; the connections say once that Redis is away.
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

    /** BullMQ's own, for its dashboard: whoever changes anything by them goes around the ledger. */
    bullmq: queues as Readonly<typeof queues>,

    /**
     * Stops a queue for all workers: jobs under way end, those that wait stay, and more may be added. Its rows wait for
     * {@link resumeQueue}, however long that takes.
     */
    pauseQueue: (name: QueueName): Promise<void> => queues[name].pause(),

    /** Lets a queue go on. */
    resumeQueue: (name: QueueName): Promise<void> => queues[name].resume(),

    /**
     * Adds a job for each row; one whose row has a job in that queue already is passed over by BullMQ.
     *
     * @param where behind all that wait, or before them
     */
    async add(jobs: readonly NewJob[], where: 'behind' | 'before' = 'behind'): Promise<void> {
      const lifo = where === 'before';
      for (const queue of QUEUES) {
        const added = jobs.filter((job) => job.queue === queue);
        if (added.length === 0) continue;
        // What is put first of all last is taken up first.
        if (lifo) added.reverse();
        await queues[queue].addBulk(
          added.map(({ name, data }) => ({ name, data, opts: { ...JOB_OPTIONS, lifo, jobId: jobId(data) } })),
        );
      }
    },

    /**
     * Hands one row on. Repeating it is harmless: the id is the same.
     *
     * @param delayMs for a row that is not to be taken up before
     * @param failed why it failed at that step, names nobody: its job is among the failed ones as soon as it is taken up
     */
    async handOver(
      { queue, name, data }: NewJob,
      { delayMs = 0, failed }: { delayMs?: number; failed?: string } = {},
    ): Promise<void> {
      const payload = failed === undefined ? data : { ...data, failed };
      await queues[queue].add(name, payload, { ...JOB_OPTIONS, jobId: jobId(data), delay: delayMs });
    },

    /** Removes the ended jobs of rows that are to run again; a running job stays, and ends by itself. */
    async forget(rows: readonly JobData[]): Promise<void> {
      const removals = rows.flatMap((row) => QUEUES.map((queue) => queues[queue].remove(jobId(row)).catch(() => 0)));
      await Promise.all(removals);
    },

    /**
     * Removes what a lost queue may have left of these jobs, so that they can be added again. One that waits after all is
     * removed with it, which is harmless where the row is fed again; a running one stays.
     */
    async clear(jobs: readonly NewJob[]): Promise<void> {
      await Promise.all(jobs.map(({ queue, data }) => queues[queue].remove(jobId(data)).catch(() => 0)));
    },

    /**
     * Gives a row its job where it has none, and answers whether it had none. What a lost queue may have left of a job,
     * a record that stands in no list, is removed first: BullMQ would take it for the job itself and ignore the add.
     */
    async restore(job: NewJob): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(job.data))));
      if (states.some((state) => !GONE.has(state))) return false;
      await this.forget([job.data]);
      await this.add([job]);
      return true;
    },

    /** Whether a row has a job that will do something for it, in any queue. */
    async hasJob(row: JobData): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      return states.some((state) => !GONE.has(state));
    },

    /** Whether a row has a job that nobody runs yet, in any queue. */
    async waits(row: JobData): Promise<boolean> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      return states.some((state) => WAITS.has(state));
    },

    /** Those of these jobs of which BullMQ knows anything at all: such a job, or what is left of a lost one. */
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

    /** Those of these jobs that have failed and are kept: BullMQ would take what is added for the job that is there. */
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

    /** Removes what a lost queue may have left of a row's job; a job that is there stays. */
    async sweep(row: JobData): Promise<void> {
      const states = await Promise.all(QUEUES.map((queue) => queues[queue].getJobState(jobId(row))));
      if (states.every((state) => state === 'unknown')) await this.forget([row]);
    },

    /** Lets jobs go on that wait for longer than any job is told to: a clock was ahead when they were put off. */
    async hasten(): Promise<void> {
      for (const queue of Object.values(queues)) {
        // BullMQ's score is the job's time, shifted by twelve bits of its own.
        const [, score = '0'] = await connection.zrange(queue.toKey('delayed'), '-1', '-1', 'WITHSCORES');
        if (Number(score) / 4_096 > Date.now() + LONGEST_DELAY_MS) await queue.promoteJobs();
      }
    },

    /** Whether no job is waiting, delayed or being run in any queue. */
    async areIdle(): Promise<boolean> {
      const kinds = ['wait', 'prioritized', 'delayed', 'active'] as const;
      const counts = await Promise.all(QUEUES.map((queue) => queues[queue].getJobCountByTypes(...kinds)));
      return counts.every((count) => count === 0);
    },

    /** Jobs that are not being run yet, in all queues or in some; those too that wait for a moment to come. */
    async depth(of: readonly QueueName[] = QUEUES): Promise<number> {
      const counts = await Promise.all(of.map((queue) => queues[queue].getJobCountByTypes(...WAITING)));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    /** The same jobs by whom they are for: of each portfolio that has any, the keys of its rows. */
    waiting: (of: readonly QueueName[] = QUEUES) => keysWithJob(WAITING, of),

    /** The rows for which a job failed and is kept. */
    failedRows: () => keysWithJob(['failed'], QUEUES),

    /** The same with the jobs that are being run: what is left for each portfolio to be done. */
    alive: () => keysWithJob([...WAITING, 'active'], QUEUES),

    async close(): Promise<void> {
      await Promise.all(QUEUES.map((queue) => queues[queue].close()));
    },
  };
}
