import { type JobsOptions, Queue } from 'bullmq';
import type { RedisConnection } from '../lua-script.ts';

/** The queue of what is done to keep house, beside the three that rows go along. */
export const MAINTENANCE = 'maintenance';

/** What a job of it carries. What a scheduler makes has no moment of its own: that is in its options. */
export type MaintenanceJob = {
  task: string;
  /** The moment that the run is for, in ms. */
  dueMs?: number;
  /** Who asked for it; nobody where the schedule did. */
  by?: string;
};

/** One scheduler: what runs, by which pattern of cron, and by the clock of which zone. */
export type Scheduled = { task: string; pattern: string; tz: string };

/** The next moment of a pattern after this one, in ms: BullMQ's own reckoning leaves out a night that begins at half past midnight. */
export type NextMoment = (when: { pattern: string; tz: string }, afterMs: number) => number;

export type Maintenance = ReturnType<typeof makeMaintenance>;

/**
 * A run that fails is tried again this often in all, after one minute and two: what passes is over by then, and what does not waits
 * for a person or the next night.
 */
export const RUN_ATTEMPTS = 3;
export const FIRST_RETRY_MS = 60_000;

/** The queue's settings, which its workers must share: they make a scheduler's next job when they take up one. */
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
 * The producers' side of the queue `maintenance`: BullMQ's job schedulers, and runs that somebody asks for. Of all jobs one runs at
 * a time, over all processes (BullMQ's global concurrency).
 *
 * @param given.connection for commands, not for blocking
 * @param given.prefix of this queue: its own slot
 * @param given.retryMs see {@link FIRST_RETRY_MS}; for tests
 */
export function makeMaintenance({
  connection,
  prefix,
  nextMoment,
  retryMs = FIRST_RETRY_MS,
}: {
  connection: RedisConnection;
  prefix: string;
  nextMoment: NextMoment;
  retryMs?: number;
}) {
  const queue = new Queue<MaintenanceJob>(MAINTENANCE, { connection, ...maintenanceOptions({ prefix, nextMoment }) });
  // As with the other queues: the connections say once that Redis is away.
  queue.on('error', () => {});

  const jobOptions: JobsOptions = {
    attempts: RUN_ATTEMPTS,
    backoff: { type: 'exponential', delay: retryMs },
    // What became of a run is in the ledger; and an id that BullMQ still knows could not be added again.
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };

  const upsert = async ({ task, pattern, tz }: Scheduled): Promise<void> => {
    await queue.upsertJobScheduler(
      idOf({ task, pattern, tz }),
      { pattern, tz },
      {
        name: task,
        data: { task },
        opts: jobOptions,
      },
    );
  };

  return {
    /** Sees to it that one run goes at a time, over all processes: before anything is added where no schedule may be kept. */
    async oneAtATime(): Promise<void> {
      await queue.setGlobalConcurrency(1);
    },

    /**
     * Makes the schedulers those of this schedule: what is new is made, what is gone is removed, and what is there stays as it is, since
     * a run that is overdue would be forgotten with its scheduler. One whose job was lost, or whose next run is later than it should
     * be since a clock was wrong, is made anew.
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

    /** When each scheduler's next job is due, in ms, by task: what BullMQ goes by. */
    async next(): Promise<{ task: string; atMs: number }[]> {
      const schedulers = await queue.getJobSchedulers(0, -1, true);
      return schedulers.map(({ name, next = 0 }) => ({ task: name, atMs: next }));
    },

    /** What somebody asked for and nobody has taken up yet, the oldest first. */
    async asked(): Promise<{ task: string; dueMs: number; by: string }[]> {
      const jobs = await queue.getJobs(['wait'], 0, -1, true);
      return jobs.flatMap(({ data: { task, dueMs, by } }) => {
        return by === undefined || dueMs === undefined ? [] : [{ task, dueMs, by }];
      });
    },

    /** A run for this moment. One that is there already, waiting or under way, is not added a second time. */
    async add(job: Required<Pick<MaintenanceJob, 'task' | 'dueMs'>> & Pick<MaintenanceJob, 'by'>): Promise<void> {
      await queue.add(job.task, job, { ...jobOptions, jobId: `${job.task}/${job.dueMs}` });
    },

    close: (): Promise<void> => queue.close(),
  };
}

/** Without a colon, by which BullMQ would take it for a form of its own that is long gone. */
function idOf({ task, pattern, tz }: Scheduled): string {
  return `${task} ${pattern} ${tz}`;
}
