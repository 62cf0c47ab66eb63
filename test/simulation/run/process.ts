import { AsyncLocalStorage } from 'node:async_hooks';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeTimers } from '../../support/virtual-timers.ts';
import { makeRandom, type Random } from './random.ts';

/** A text for traces and stories, or a function that makes it, because most runs are never described. */
export type Told = string | (() => string);

export const textOf = (told: Told): string => (typeof told === 'string' ? told : told());

/**
 * A place at which a process yields: a command to Redis, an operation on a queue, a call to the service, a timer that
 * is due. The scheduler lets one pass at a time.
 */
export type Boundary = {
  /** For traces: the process and its action, with everything that is sent. */
  what: Told;
  /** For stories: the same in few words. */
  brief: Told;
  /** The moment of this boundary makes no difference to others, so it gets no fault and no changed turn. */
  isQuiet: boolean;
  /** Whether it may be done twice, because its reply was lost and the client sends it again. */
  mayRepeat: boolean;
  /** Whether the client may report that no reply came. */
  mayFail: boolean;
  /** Does the action, and returns its result for the trace. */
  act: () => Told | Promise<Told>;
  /** Passes the result to the process, which continues. */
  deliver: () => void;
  /** Tells the process that no reply came. */
  fail: () => void;
};

/** The shared state of all processes of a run: one clock, and what it drives. */
export type Shared = { nowMs: number; seed: string; wake: () => void };

/** A simulated process. Code that runs in its name finds it by {@link here}. */
export type Process = {
  name: string;
  shared: Shared;
  random: Random;
  standing: 'runs' | 'stands still' | 'dead';
  /** Whether it has stood still before. */
  stood: boolean;
  /** The boundaries at which it waits, in the order in which it reached them. */
  waiting: Boundary[];
  timers: ReturnType<typeof makeTimers>;
  immediates: (() => void)[];
  /** The number of counted boundaries that it has passed. */
  passed: number;
  /** Tasks that began in its name and have not ended. */
  tasks: Set<string>;
  /** Functions that remove what Node would keep of it for ever, called at the end of its run. */
  endings: (() => void)[];
};

const processes = new AsyncLocalStorage<Process>();

export function makeProcess(name: string, shared: Shared): Process {
  return {
    name,
    shared,
    random: makeRandom(`${shared.seed} ${name}`),
    standing: 'runs',
    stood: false,
    waiting: [],
    timers: makeTimers(),
    immediates: [],
    passed: 0,
    tasks: new Set(),
    endings: [],
  };
}

/** The process in whose name the current code runs; undefined outside of a simulation. */
export const processHere = (): Process | undefined => processes.getStore();

export function here(): Process {
  const process = processes.getStore();
  if (!process) throw new Error('Nothing is simulated here.');
  return process;
}

export function runIn<T>(process: Process, run: () => T): T {
  return processes.run(process, run);
}

/** Runs code that belongs to no process, such as the scheduler's own commands to Redis. */
export function runOutside<T>(run: () => T): T {
  return processes.exit(run);
}

type Passing<T> = Partial<Pick<Boundary, 'isQuiet' | 'mayRepeat' | 'mayFail' | 'brief'>> & {
  /** A text of the result, for the trace. */
  tell?: (came: T) => Told;
};

/** Waits until the scheduler lets this process pass, and returns the result of `act`. A dead process waits for ever. */
export function pass<T>(what: Told, act: () => T | Promise<T>, passing: Passing<T> = {}): Promise<T> {
  const process = here();
  const { isQuiet = false, mayRepeat = false, mayFail = false, brief = what, tell = () => '' } = passing;
  return new Promise<T>((resolve, reject) => {
    if (process.standing === 'dead') return;
    let deliver: () => void = () => {};
    process.waiting.push({
      what,
      brief,
      isQuiet,
      mayRepeat,
      mayFail,
      act: async () => {
        try {
          const came = await act();
          deliver = () => resolve(came);
          return tell(came);
        } catch (error) {
          deliver = () => reject(error);
          return `fails: ${error instanceof Error ? error.message : String(error)}`;
        }
      },
      deliver: () => deliver(),
      // The error of ioredis (commandTimeout).
      fail: () => reject(new Error('Command timed out')),
    });
  });
}

/** Starts a task in the name of a process; the run lasts until it has ended. `onFailure` receives its failure. */
export function begin(
  process: Process,
  task: string,
  run: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
) {
  process.tasks.add(task);
  runIn(process, () =>
    run()
      .catch((error) => {
        if (process.standing !== 'dead') onFailure(error);
      })
      .finally(() => process.tasks.delete(task)),
  );
}

export const SERVICE_URL = 'https://service.example';

/** The account of all worlds, and its keys. */
export const ACCOUNT = SERVICE_URL;
export const KEYS = makeKeys('limitline', ACCOUNT);
