import { AsyncLocalStorage } from 'node:async_hooks';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeTimers } from '../../support/virtual-timers.ts';
import { makeRandom, type Random } from './random.ts';

/** What traces and stories say, or how to find it: of most runs nothing is ever told. */
export type Told = string | (() => string);

export const textOf = (told: Told): string => (typeof told === 'string' ? told : told());

/**
 * A place at which a process gives way: a command to Redis, an operation on a queue, a call to the service, a timer that is due.
 * The scheduler lets one pass at a time.
 */
export type Boundary = {
  /** For the trace: who wants what, with all that is sent. */
  what: Told;
  /** For stories: the same in few words. */
  brief: Told;
  /** Nothing that others see depends on when it passes: no fault and no change of turns is put here. */
  isQuiet: boolean;
  /** Whether it may be done twice, because its reply was lost and the client sends it again. */
  mayRepeat: boolean;
  /** Whether the client may say that no reply came. */
  mayFail: boolean;
  /** Has its effect, and answers what came, for the trace. */
  act: () => Told | Promise<Told>;
  /** Hands the process what came; it runs on. */
  deliver: () => void;
  /** Tells the process that no reply came. */
  fail: () => void;
};

/** What all processes of one run share: one clock, and what it drives. */
export type Shared = { nowMs: number; seed: string; wake: () => void };

/** One of the simulated processes: whatever runs in its name finds it by {@link here}. */
export type Process = {
  name: string;
  shared: Shared;
  random: Random;
  standing: 'runs' | 'stands still' | 'dead';
  /** Whether it stood still before. */
  stood: boolean;
  /** Boundaries at which it stands, in the order in which it came to them. */
  waiting: Boundary[];
  timers: ReturnType<typeof makeTimers>;
  immediates: (() => void)[];
  /** Boundaries that it has passed and that count. */
  passed: number;
  /** Things that began in its name and have not ended. */
  tasks: Set<string>;
  /** Takes back what Node would keep of it for ever, once its run is over. */
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

/** The process in whose name this runs; none outside of a simulation. */
export const processHere = (): Process | undefined => processes.getStore();

export function here(): Process {
  const process = processes.getStore();
  if (!process) throw new Error('Nothing is simulated here.');
  return process;
}

export function runIn<T>(process: Process, run: () => T): T {
  return processes.run(process, run);
}

/** Runs what is no part of any process, such as the scheduler's own commands to Redis. */
export function runOutside<T>(run: () => T): T {
  return processes.exit(run);
}

type Passing<T> = Partial<Pick<Boundary, 'isQuiet' | 'mayRepeat' | 'mayFail' | 'brief'>> & {
  /** What came, for the trace. */
  tell?: (came: T) => Told;
};

/** Waits until the scheduler lets this process pass, and answers what `act` brought. A dead process waits for ever. */
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
      // As ioredis says it (commandTimeout).
      fail: () => reject(new Error('Command timed out')),
    });
  });
}

/** Begins something in a process' name; the run is not over before it has ended. Its failure is what `onFailure` hears. */
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
