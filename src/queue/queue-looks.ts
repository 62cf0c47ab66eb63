import type { Queue } from 'bullmq';

/** The jobs of a queue at one moment. */
export type QueueCounts = {
  name: QueueName;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  /** When the next job to be taken up was added, in ms; undefined if none waits. */
  oldestMs: number | undefined;
  isPaused: boolean;
};

/** Reads the state of the queues; changes no job. */
export function makeQueueLooks(queues: Readonly<Record<QueueName, Queue<JobData>>>) {
  let pausedSeen: readonly QueueName[] | undefined;

  const countsOf = async (name: QueueName): Promise<QueueCounts> => {
    const queue = queues[name];
    const [counts, isPaused, [next]] = await Promise.all([
      queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'),
      queue.isPaused(),
      queue.getJobs(['wait'], 0, 0, true),
    ]);
    const count = (state: string) => counts[state] ?? 0;
    return {
      name,
      waiting: count('wait') + count('prioritized'),
      active: count('active'),
      delayed: count('delayed'),
      failed: count('failed'),
      oldestMs: next?.timestamp,
      isPaused,
    };
  };

  const counts = (): Promise<QueueCounts[]> => Promise.all(QUEUES.map(countsOf));

  return {
    /** The counts of each queue, in the order of steps. */
    counts,

    /**
     * The queues that a person paused, if all jobs are in those and none runs: then all work waits for that person. An empty list
     * otherwise.
     */
    async stoppedBy(): Promise<readonly QueueName[]> {
      const found = await counts();
      const isStill = found.every(
        ({ isPaused, waiting, active, delayed }) => active === 0 && (isPaused || waiting + delayed === 0),
      );
      return isStill ? found.filter(({ isPaused }) => isPaused).map(({ name }) => name) : [];
    },

    /** The queues that a person has paused. */
    async paused(): Promise<readonly QueueName[]> {
      const paused = await Promise.all(QUEUES.map((name) => queues[name].isPaused()));
      const seen = QUEUES.filter((_, place) => paused[place]);
      pausedSeen = seen;
      return seen;
    },

    /** The paused queues when this process last asked. */
    pausedSeen: (): readonly QueueName[] => pausedSeen ?? [],

    /** Whether this queue was not paused when this process last asked; false if it never asked. */
    isOpenSeen: (name: QueueName): boolean => pausedSeen?.includes(name) === false,
  };
}

/** The queues of rows, one for each step. */
export const QUEUES = ['companies', 'documents', 'buyer-limits'] as const;
export type QueueName = (typeof QUEUES)[number];

/**
 * The data of a job: its row; everything else is read from the ledger when the job runs. `failed` is the message of a row that failed at
 * this step in an earlier job: then this job fails at its first attempt, and runs when it is retried.
 */
export type JobData = { portfolio: string; key: string; failed?: string };

/** A job's id. `/` is safe in BullMQ's ids; a colon is not, and a bare number would look like one of its own. */
export function jobId({ portfolio, key }: JobData): string {
  return `${portfolio}/${key}`;
}

/** The row in a job's id; a portfolio's name has no `/`. */
export function rowOf(id: string): JobData {
  const end = id.indexOf('/');
  return { portfolio: id.slice(0, end), key: id.slice(end + 1) };
}
