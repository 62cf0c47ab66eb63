import { type JobsOptions, Queue } from 'bullmq';
import type { RedisConnection } from '../lua-script.ts';

/** The queue of scheduled and requested maintenance, beside the three queues of rows. */
export const MAINTENANCE = 'maintenance';

/** The data of a job in this queue. A scheduled job has no `dueMs`: its time is in its options. */
export type MaintenanceJob = {
  task: string;
  /** The due time of the run, in ms. */
  dueMs?: number;
  /** Who asked for the run; undefined for the schedule. */
  by?: string;
  /** The origin of the request: an address, or a host's command line. Undefined for the schedule, and for requests of earlier versions. */
  from?: string;
};

/** One scheduler: its task, cron pattern and time zone. */
export type Scheduled = { task: string; pattern: string; tz: string };

/** The next due time of a pattern, in ms. BullMQ's own computation misses a night that begins at half past midnight. */
export type NextMoment = (when: { pattern: string; tz: string }, afterMs: number) => number;

export type Maintenance = ReturnType<typeof makeMaintenance>;

/**
 * Attempts at a run, the retries after one and two minutes: a passing fault is over by then, and any other waits for a person or the next
 * night.
 */
export const RUN_ATTEMPTS = 3;
const FIRST_RETRY_MS = 60_000;

/** Settings of the queue, which its workers must share, since they make a scheduler's next job when they take one up. */
export function maintenanceOptions({ prefix, nextMoment }: { prefix: string; nextMoment: NextMoment }) {
  return {
    prefix,
    settings: {
      repeatStrategy: (afterMs: number, { pattern = '', tz = 'UTC' }: { pattern?: string; tz?: string }) =>
        nextMoment({ pattern, tz }, afterMs),
    },
  };
}

/**
 * The producers' side of the queue `maintenance`: BullMQ's job schedulers, and requested runs. One job runs at a time over all processes
 * (BullMQ's global concurrency).
 *
 * @param given.connection for commands, not for blocking
 * @param given.prefix of this queue, with its own slot
 * @param given.retryMs see {@link FIRST_RETRY_MS}; for tests
 */
export function makeMaintenance(given: {
  connection: RedisConnection;
  prefix: string;
  nextMoment: NextMoment;
  retryMs?: number;
}) {
  const { connection, prefix, nextMoment, retryMs = FIRST_RETRY_MS } = given;
  const queue = new Queue<MaintenanceJob>(MAINTENANCE, { connection, ...maintenanceOptions({ prefix, nextMoment }) });
  // Without a listener, BullMQ prints every failed reconnect; the connections already log an outage.
  queue.on('error', () => {});

  const jobOptions: JobsOptions = {
    attempts: RUN_ATTEMPTS,
    backoff: { type: 'exponential', delay: retryMs },
    // The ledger keeps the outcome, and BullMQ ignores an add with an id that it still has.
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };

  const upsert = async ({ task, pattern, tz }: Scheduled): Promise<void> => {
    await queue.upsertJobScheduler(
      idOf({ task, pattern, tz }),
      { pattern, tz },
      { name: task, data: { task }, opts: jobOptions },
    );
  };

  return {
    /** Allows one run at a time over all processes; call it before adding a run if `keep` may never be called. */
    async oneAtATime(): Promise<void> {
      await queue.setGlobalConcurrency(1);
    },

    /**
     * Makes the schedulers match a schedule: new ones are made, others removed, and existing ones kept, since removing a scheduler would also
     * remove its overdue run. A scheduler is made anew if its job was lost, or its next run is too late because a clock was wrong.
     *
     * @returns how many schedulers were made or removed
     */
    async keep(entries: readonly Scheduled[], nowMs = Date.now()): Promise<number> {
      await queue.setGlobalConcurrency(1);
      const wanted = new Map(entries.map((entry) => [idOf(entry), entry]));
      const known = new Map((await queue.getJobSchedulers(0, -1)).map(({ key, next }) => [key, next ?? 0]));
      let changed = 0;
      for (const id of known.keys()) {
        if (wanted.has(id)) continue;
        await queue.removeJobScheduler(id);
        changed += 1;
      }
      for (const [id, entry] of wanted) {
        const next = known.get(id);
        const isWell =
          next !== undefined && next <= nextMoment(entry, nowMs) && (await queue.getJob(`repeat:${id}:${next}`));
        if (isWell) continue;
        await upsert(entry);
        changed += 1;
      }
      return changed;
    },

    /** When each scheduler's next job is due, in ms, by task, according to BullMQ. */
    async next(): Promise<{ task: string; atMs: number }[]> {
      const schedulers = await queue.getJobSchedulers(0, -1, true);
      return schedulers.map(({ name, next = 0 }) => ({ task: name, atMs: next }));
    },

    /** Requested runs that nobody has taken up yet, the oldest first. */
    async asked(): Promise<{ task: string; dueMs: number; by: string }[]> {
      const jobs = await queue.getJobs(['wait'], 0, -1, true);
      return jobs.flatMap(({ data: { task, dueMs, by } }) => {
        return by === undefined || dueMs === undefined ? [] : [{ task, dueMs, by }];
      });
    },

    /** Adds a run for this moment, unless it is already waiting or under way. */
    async add(
      job: Required<Pick<MaintenanceJob, 'task' | 'dueMs'>> & Pick<MaintenanceJob, 'by' | 'from'>,
    ): Promise<void> {
      await queue.add(job.task, job, { ...jobOptions, jobId: `${job.task}/${job.dueMs}` });
    },

    close: (): Promise<void> => queue.close(),
  };
}

/** A scheduler's id. It has no colon, since BullMQ would take that for an old form of its ids. */
const idOf = ({ task, pattern, tz }: Scheduled): string => `${task} ${pattern} ${tz}`;
