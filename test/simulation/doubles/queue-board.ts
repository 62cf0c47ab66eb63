import type { Shared } from '../run/process.ts';
import type { WorkerDouble } from './bullmq.ts';

/** A job as a queue keeps it. */
export type JobRecord = {
  id: string;
  name: string;
  data: object;
  attemptsMade: number;
  timestamp: number;
  failedReason?: string;
  finishedOn?: number;
  /** The worker that runs it; a job that was taken from its worker has another token or none. */
  token?: string | undefined;
  dueMs?: number;
};

type AddOptions = { jobId?: string; delay?: number; lifo?: boolean; attempts?: number; backoff?: { delay: number } };

export type QueueRecord = ReturnType<typeof makeQueueRecord>;
export type QueueBoard = ReturnType<typeof makeQueueBoard>;

/**
 * The number of attempts of a job, and the first wait after a fault (src/queue/queues.ts passes them with each job).
 */
type Kept = JobRecord & { attempts: number; backoffMs: number };

const MISSING_LOCK = 'Missing lock for job';

/**
 * One queue with jobs that wait, are delayed, run, or have failed. Like BullMQ, it keeps no completed job and accepts
 * no id twice.
 */
function makeQueueRecord(name: string, shared: Shared) {
  const jobs = new Map<string, Kept>();
  const wait: string[] = [];
  const [active, delayed, failed] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const leave = (id: string) => {
    if (wait.includes(id)) wait.splice(wait.indexOf(id), 1);
    for (const set of [active, delayed, failed]) set.delete(id);
  };
  const owned = (id: string, token: string): Kept => {
    const job = jobs.get(id);
    if (!job || job.token !== token || !active.has(id)) throw new Error(`${MISSING_LOCK} ${id}`);
    return job;
  };
  const lists: Record<string, Iterable<string>> = { wait, active, delayed, failed };
  return {
    name,
    jobs: jobs as ReadonlyMap<string, JobRecord>,
    wait: wait as readonly string[],
    active: active as ReadonlySet<string>,
    isPaused: false,
    pause(isPaused: boolean): void {
      this.isPaused = isPaused;
    },
    keyOf: (id: string): string => `simulated:queue:${name}:${id}`,
    add(jobName: string, data: object, { jobId: id = '', delay = 0, lifo, attempts = 1, backoff }: AddOptions): void {
      if (jobs.has(id)) return;
      const made = { id, name: jobName, data, attemptsMade: 0, timestamp: shared.nowMs };
      jobs.set(id, { ...made, attempts, backoffMs: backoff?.delay ?? 0, dueMs: shared.nowMs + delay });
      if (delay > 0) delayed.add(id);
      else if (lifo) wait.unshift(id);
      else wait.push(id);
    },
    /** Removes a job, except one that is running. */
    remove(id: string): number {
      if (!jobs.has(id) || active.has(id)) return 0;
      leave(id);
      jobs.delete(id);
      return 1;
    },
    stateOf(id: string): string {
      if (wait.includes(id)) return 'waiting';
      if (delayed.has(id)) return 'delayed';
      if (active.has(id)) return 'active';
      return failed.has(id) ? 'failed' : 'unknown';
    },
    ids: (kinds: readonly string[]): string[] => kinds.flatMap((kind) => [...(lists[kind] ?? [])]),
    take(token: string): JobRecord | undefined {
      const id = this.isPaused ? undefined : wait.shift();
      const job = jobs.get(id ?? '');
      if (!job) return undefined;
      active.add(job.id);
      job.token = token;
      return job;
    },
    complete(id: string, token: string): void {
      owned(id, token);
      leave(id);
      jobs.delete(id);
    },
    fail(id: string, token: string, reason: string, isLast: boolean): void {
      const job = owned(id, token);
      leave(id);
      job.token = undefined;
      job.attemptsMade += 1;
      if (!isLast && job.attemptsMade < job.attempts) {
        job.dueMs = shared.nowMs + job.backoffMs * 2 ** (job.attemptsMade - 1);
        delayed.add(id);
        return;
      }
      Object.assign(job, { failedReason: reason, finishedOn: shared.nowMs });
      failed.add(id);
    },
    delay(id: string, token: string, ms: number): void {
      const job = owned(id, token);
      leave(id);
      job.token = undefined;
      job.dueMs = shared.nowMs + ms;
      delayed.add(id);
    },
    putBack(id: string, token: string): void {
      owned(id, token).token = undefined;
      leave(id);
      wait.unshift(id);
    },
    /** A job whose worker did not renew its lock for too long, or that BullMQ counts as such, waits again. */
    stall(id: string): void {
      const job = jobs.get(id);
      if (!job || !active.has(id)) return;
      job.token = undefined;
      leave(id);
      wait.push(id);
    },
    /** A person retries a failed job on the board of queues. */
    retry(id: string): void {
      if (!failed.has(id)) return;
      leave(id);
      wait.push(id);
    },
    /** Delayed jobs whose time has come wait. */
    promote(): void {
      for (const id of [...delayed]) {
        if ((jobs.get(id)?.dueMs ?? 0) > shared.nowMs) continue;
        delayed.delete(id);
        wait.push(id);
      }
    },
    nextMs: (): number => Math.min(Number.POSITIVE_INFINITY, ...[...delayed].map((id) => jobs.get(id)?.dueMs ?? 0)),
    /** Returns a function that restores the current state later. */
    keep(): () => void {
      const before = structuredClone({ jobs: [...jobs], wait, sets: [[...active], [...delayed], [...failed]] });
      return () => {
        jobs.clear();
        for (const [id, job] of structuredClone(before.jobs)) jobs.set(id, job);
        wait.splice(0, wait.length, ...before.wait);
        for (const [place, set] of [active, delayed, failed].entries()) {
          set.clear();
          for (const id of before.sets[place] ?? []) set.add(id);
        }
      };
    },
  };
}

/** The queues of one run and their workers. */
export function makeQueueBoard(shared: Shared) {
  const queues = new Map<string, QueueRecord>();
  const workers = new Set<WorkerDouble>();
  return {
    workers,
    queues: () => [...queues.values()],
    queue(name: string, prefix: string): QueueRecord {
      const known = queues.get(prefix) ?? makeQueueRecord(name, shared);
      queues.set(prefix, known);
      return known;
    },
    /** The jobs of a process that did not renew their locks for too long wait again. */
    stall(process: string): void {
      for (const queue of queues.values()) {
        for (const id of [...queue.active]) {
          if (queue.jobs.get(id)?.token?.startsWith(`${process} `)) queue.stall(id);
        }
      }
    },
    /** Whether no job waits, is delayed or runs. */
    isIdle: (): boolean => [...queues.values()].every((queue) => queue.ids(['wait', 'delayed', 'active']).length === 0),
    offer(): void {
      for (const worker of workers) worker.offer();
    },
    digest: (): string =>
      JSON.stringify(
        [...queues.values()].map(({ name, jobs, ids }) => [
          name,
          ids(['wait', 'active', 'delayed', 'failed']),
          [...jobs.values()],
        ]),
      ),
  };
}
