import type { Job, Queue } from 'bullmq';
import { type JobData, QUEUES, type QueueName, rowOf } from './names.ts';

/** What stands in a queue at one moment. */
export type QueueCounts = {
  name: QueueName;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  /** When the job that is taken up next was added, in ms; none where nothing waits. */
  oldestMs: number | undefined;
  isPaused: boolean;
};

/** A failed job: the row that it was for, and its reason, which names nobody. */
export type FailedJob = { queue: QueueName; row: JobData; reason: string; failedMs: number };

/** Failed jobs read at a time while one is searched for. */
const PAGE = 500;

/** What stands in the queues, for those who look; nothing here changes a job. */
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
    /** Each queue, in the order in which rows go along them. */
    counts,

    /**
     * The queues that a person has paused, where nothing stands in any other and no call is under way: what is left waits for that
     * person. None where something goes on, or may.
     */
    async stoppedBy(): Promise<readonly QueueName[]> {
      const found = await counts();
      const isStill = found.every(
        ({ isPaused, waiting, active, delayed }) => active === 0 && (isPaused || waiting + delayed === 0),
      );
      return isStill ? found.filter(({ isPaused }) => isPaused).map(({ name }) => name) : [];
    },

    /** The queues from which nobody takes up a job, since a person stopped them. */
    async paused(): Promise<readonly QueueName[]> {
      const paused = await Promise.all(QUEUES.map((name) => queues[name].isPaused()));
      const seen = QUEUES.filter((_, place) => paused[place]);
      pausedSeen = seen;
      return seen;
    },

    /** The same as it was when this process last asked. */
    pausedSeen: (): readonly QueueName[] => pausedSeen ?? [],

    /** Whether this process, when it last asked, saw that nobody has paused this queue. */
    isOpenSeen: (name: QueueName): boolean => pausedSeen?.includes(name) === false,

    /**
     * Failed jobs of one queue, the latest first, of which the test says so.
     *
     * @param from the place to go on from, @param count so many at the most
     * @returns the jobs, and the place behind the last one that was looked at; none where that was the last of all
     */
    async failed(
      name: QueueName,
      {
        from = 0,
        count,
        isMeant = () => true,
      }: { from?: number; count: number; isMeant?: (job: FailedJob) => boolean },
    ): Promise<{ jobs: FailedJob[]; next: number | undefined }> {
      const jobs: FailedJob[] = [];
      for (let place = from; ; ) {
        const found = await queues[name].getJobs(['failed'], place, place + PAGE - 1);
        for (const job of found) {
          place += 1;
          const failed = job && failedJob(name, job);
          if (failed && isMeant(failed)) jobs.push(failed);
          if (jobs.length === count) return { jobs, next: place };
        }
        if (found.length < PAGE) return { jobs, next: undefined };
      }
    },
  };
}

function failedJob(queue: QueueName, { id = '', failedReason, finishedOn = 0 }: Job<JobData>): FailedJob {
  return { queue, row: rowOf(id), reason: failedReason ?? '', failedMs: finishedOn };
}
