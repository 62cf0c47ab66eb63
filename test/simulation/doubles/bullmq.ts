import { here, type Process, pass, runIn } from '../run/process.ts';
import type { JobRecord, QueueBoard, QueueRecord } from './queue-board.ts';

/**
 * Replaces the package bullmq, as far as src/queue uses it. The jobs are on the board of the run, and each operation is
 * a boundary. test/simulation/conformance.test.ts compares it with the real package.
 */

const boardHere = (): QueueBoard => (here().shared as unknown as { board: QueueBoard }).board;

export class DelayedError extends Error {}
export class WaitingError extends Error {}
export class UnrecoverableError extends Error {}

type Options = { jobId?: string; delay?: number; lifo?: boolean; attempts?: number; backoff?: { delay: number } };

export class Queue {
  readonly name: string;
  readonly #record: QueueRecord;

  constructor(name: string, { prefix }: { prefix: string }) {
    this.name = name;
    this.#record = boardHere().queue(name, prefix);
  }

  #do<T>(what: string, act: () => T, { mayRepeat = true, quiet = false } = {}): Promise<T> {
    const said = `queue ${this.name}: ${what}`;
    return pass(said, act, { mayRepeat, mayFail: true, isQuiet: quiet, tell: (came) => JSON.stringify(came) ?? '' });
  }

  on(): this {
    return this;
  }
  toKey(id: string): string {
    return this.#record.keyOf(id);
  }
  async add(name: string, data: object, options: Options): Promise<void> {
    const { jobId = '' } = options;
    await this.#do(`add ${jobId}${options.delay ? `, later` : ''}`, () => this.#record.add(name, data, options));
  }
  async addBulk(jobs: { name: string; data: object; opts: Options }[]): Promise<void> {
    const ids = jobs.map(({ opts }) => opts.jobId).join(' ');
    await this.#do(`add ${ids}`, () => {
      for (const { name, data, opts } of jobs) this.#record.add(name, data, opts);
    });
  }
  remove(id: string): Promise<number> {
    return this.#do(`remove ${id}`, () => this.#record.remove(id));
  }
  getJobState(id: string): Promise<string> {
    return this.#do(`state of ${id}`, () => this.#record.stateOf(id));
  }
  getRanges(kinds: string[]): Promise<string[]> {
    return this.#do(`jobs ${kinds.join(' ')}`, () => this.#record.ids(kinds));
  }
  getFailedCount(): Promise<number> {
    return this.#do('how many failed', () => this.#record.ids(['failed']).length);
  }
  getJobCountByTypes(...kinds: string[]): Promise<number> {
    return this.#do(`how many ${kinds.join(' ')}`, () => this.#record.ids(kinds).length);
  }
  getJobCounts(...kinds: string[]): Promise<Record<string, number>> {
    return this.#do('counts', () => Object.fromEntries(kinds.map((kind) => [kind, this.#record.ids([kind]).length])));
  }
  getJobs(kinds: string[]): Promise<JobRecord[]> {
    return this.#do('jobs', () => this.#record.ids(kinds).map((id) => this.#record.jobs.get(id) as JobRecord));
  }
  isPaused(): Promise<boolean> {
    return this.#do('is it paused', () => this.#record.isPaused, { quiet: true });
  }
  pause(): Promise<void> {
    return this.#do('pause', () => this.#record.pause(true));
  }
  resume(): Promise<void> {
    return this.#do('resume', () => this.#record.pause(false));
  }
  async close(): Promise<void> {}
}

type Processor = (job: object, token?: string) => Promise<void>;
type Listener = (...args: unknown[]) => void;

/** A worker of one process on one queue; it takes up jobs when the scheduler allows it. */
export class Worker {
  closing = false;
  readonly process: Process;
  readonly record: QueueRecord;
  readonly #concurrency: number;
  readonly #run: Processor;
  readonly #listeners = new Map<string, Listener>();
  #isPaused = false;
  #inHand = 0;
  #asksForJob = false;
  #taken = 0;

  constructor(name: string, run: Processor, { prefix, concurrency }: { prefix: string; concurrency: number }) {
    this.process = here();
    this.record = boardHere().queue(name, prefix);
    this.#run = run;
    this.#concurrency = concurrency;
    boardHere().workers.add(this);
  }
  on(event: string, listener: Listener): this {
    this.#listeners.set(event, listener);
    return this;
  }
  async pause(): Promise<void> {
    this.#isPaused = true;
  }
  async resume(): Promise<void> {
    this.#isPaused = false;
  }
  async close(): Promise<void> {
    this.closing = true;
    boardHere().workers.delete(this);
  }

  /** If it may take up a job, that is the next boundary of its process. */
  offer(): void {
    const isFree = !this.#isPaused && !this.closing && this.#inHand < this.#concurrency;
    if (!isFree || this.#asksForJob || this.record.isPaused || this.record.wait.length === 0) return;
    if (this.process.standing !== 'runs') return;
    this.#asksForJob = true;
    runIn(this.process, () => {
      const token = `${this.process.name} ${this.#taken + 1}`;
      const passing = pass(`queue ${this.record.name}: take up a job`, () => this.record.take(token), {
        tell: (job) => job?.id ?? 'none',
      });
      void passing.then((job) => {
        this.#asksForJob = false;
        if (job) void this.#work(job, token);
      });
    });
  }

  async #work(job: JobRecord, token: string): Promise<void> {
    this.#taken += 1;
    this.#inHand += 1;
    const { record } = this;
    const own = {
      ...job,
      moveToDelayed: (atMs: number) =>
        pass(`queue ${record.name}: put off ${job.id}`, () =>
          record.delay(job.id, token, atMs - this.process.shared.nowMs),
        ),
      moveToWait: () => pass(`queue ${record.name}: put back ${job.id}`, () => record.putBack(job.id, token)),
    };
    try {
      await this.#run(own, token);
      await this.#end(`${job.id} is done`, () => record.complete(job.id, token));
    } catch (error) {
      const isMoved = error instanceof DelayedError || error instanceof WaitingError;
      if (!isMoved) {
        const words = error instanceof Error ? error.message : String(error);
        const isLast = error instanceof UnrecoverableError;
        await this.#end(`${job.id} failed: ${words}`, () => record.fail(job.id, token, words, isLast));
      }
    }
    this.#inHand -= 1;
    if (record.wait.length === 0) this.#listeners.get('drained')?.();
  }

  /** The end of a job is written down, unless the job belongs to another worker by now. */
  async #end(what: string, act: () => void): Promise<void> {
    await pass(`queue ${this.record.name}: ${what}`, act, { mayRepeat: true }).catch((error: unknown) =>
      this.#listeners.get('error')?.(error),
    );
  }
}

export type WorkerDouble = Worker;
