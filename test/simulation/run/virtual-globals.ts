import crypto from 'node:crypto';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { type Process, pass, processHere, runIn } from './process.ts';

/** An arbitrary moment, the same for each run. */
export const BEGIN_MS = Date.UTC(2026, 0, 1, 8, 30);

const real = {
  Date: globalThis.Date,
  now: Date.now,
  performanceNow: performance.now.bind(performance),
  random: Math.random,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
};

/** Real time, for measurements and limits of the simulator itself. */
export const realNowMs = real.performanceNow;

/** Waits for one turn of the event loop, in which everything that is due is done. */
export const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve));

/** Waits without a turn of its own until an event has come. Call it while something is under way. */
export const somethingHasCome = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve).unref());

/**
 * Whether files are read or written, or work is done in the thread pool: a process that waits for that is not at a
 * boundary yet.
 */
export function isAtWork(): boolean {
  if (wasAtWork) return true;
  wasAtWork = process.getActiveResourcesInfo().some((name) => AT_WORK.test(name));
  if (wasAtWork) real.setImmediate(() => (wasAtWork = false)).unref();
  return wasAtWork;
}

/** A positive result is shared by parallel runs in the same turn. A negative one is checked by each run. */
let wasAtWork = false;

/** Names of Node's active requests of files, and of jobs of its thread pool. Connections and timers have others. */
const AT_WORK = /Req|Job|Zlib/;

/** The process id of every simulated process. It is above all ids that Linux assigns, so no real process has it. */
const SIMULATED_PID = 4_711_000;

type Run = (...args: unknown[]) => void;

function timer(process: Process, run: Run, ms: number, args: unknown[]) {
  const { shared, timers } = process;
  return timers.add(shared.nowMs, ms, () => runIn(process, () => run(...args)));
}

/** Runs repeatedly after so long, until it is cleared. */
function interval(process: Process, run: Run, ms: number, args: unknown[]) {
  const handle = { current: undefined as unknown, ref: () => handle, unref: () => handle };
  const again = () => {
    handle.current = timer(
      process,
      () => {
        again();
        run(...args);
      },
      ms,
      [],
    );
  };
  again();
  return handle;
}

/** `timers/promises`: waits in the time of the process, or until the signal. */
function sleep<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  const process = processHere();
  return new Promise((resolve, reject) => {
    const aborted = () =>
      reject(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
    if (signal?.aborted) return aborted();
    const end = () => {
      signal?.removeEventListener('abort', stop);
      resolve(value as T);
    };
    const handle = process ? timer(process, end, ms, []) : real.setTimeout(end, ms);
    const stop = () => {
      if (process) process.timers.remove(handle);
      else real.clearTimeout(handle as NodeJS.Timeout);
      aborted();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

class VirtualDate extends real.Date {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [VirtualDate.now()] : args) as [number]));
  }
  static override now(): number {
    const process = processHere();
    return process ? Math.trunc(process.shared.nowMs) : real.now();
  }
}

/**
 * From now on, clock, timers, randomness and ids of code in a simulated process belong to the simulation; for other
 * code they are unchanged. Call it before any part of the product is loaded.
 */
export function takeOverGlobals(): void {
  const g = globalThis as unknown as Record<string, unknown>;
  g.Date = VirtualDate;
  performance.now = () => {
    const process = processHere();
    return process ? process.shared.nowMs - BEGIN_MS : real.performanceNow();
  };
  Math.random = () => processHere()?.random.share() ?? real.random();
  g.setTimeout = (run: Run, ms = 0, ...args: unknown[]) => {
    const process = processHere();
    return process ? timer(process, run, ms, args) : real.setTimeout(run, ms, ...args);
  };
  g.clearTimeout = (handle: NodeJS.Timeout) => {
    if (!processHere()?.timers.remove(handle)) real.clearTimeout(handle);
  };
  g.setInterval = (run: Run, ms = 0, ...args: unknown[]) => {
    const process = processHere();
    return process ? interval(process, run, ms, args) : real.setInterval(run, ms, ...args);
  };
  g.clearInterval = (handle: unknown) => {
    const process = processHere();
    if (process && typeof handle === 'object' && handle && 'current' in handle) process.timers.remove(handle.current);
    else real.clearInterval(handle as NodeJS.Timeout);
  };
  g.setImmediate = (run: Run, ...args: unknown[]) => {
    const process = processHere();
    if (!process) return real.setImmediate(run, ...args);
    process.immediates.push(() => runIn(process, () => run(...args)));
    process.shared.wake();
  };
  const { pid } = process;
  Object.defineProperty(process, 'pid', { get: () => (processHere() ? SIMULATED_PID : pid) });
  takeOverModules();
  takeOverSignals();
}

/**
 * Node keeps combined signals for as long as they have a listener, and a killed simulated process never removes its
 * own. So listeners are recorded, and removed with the process.
 */
function takeOverSignals(): void {
  const { any } = AbortSignal;
  AbortSignal.any = (signals) => {
    const signal = any.call(AbortSignal, signals);
    const process = processHere();
    if (!process) return signal;
    const listening: Parameters<AbortSignal['addEventListener']>[] = [];
    const { addEventListener } = signal;
    signal.addEventListener = (...args: (typeof listening)[number]) => {
      listening.push(args);
      addEventListener.apply(signal, args);
    };
    process.endings.push(() => {
      for (const [type, listener] of listening) signal.removeEventListener(type, listener);
    });
    return signal;
  };
}

/** Named imports follow the properties of Node's own modules. */
function takeOverModules(): void {
  const require = createRequire(import.meta.url);
  const timers = require('node:timers/promises') as Record<string, unknown>;
  timers.setTimeout = sleep;
  const immediately = timers.setImmediate as () => Promise<void>;
  timers.setImmediate = () => (processHere() ? new Promise((resolve) => setImmediate(resolve)) : immediately());
  const { randomBytes, randomUUID, randomInt } = crypto;
  const module = crypto as unknown as Record<string, unknown>;
  module.randomBytes = (size: number, ...rest: []) => processHere()?.random.bytes(size) ?? randomBytes(size, ...rest);
  module.randomUUID = (...args: []) => {
    const hex = processHere()?.random.bytes(16).toString('hex');
    return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') ?? randomUUID(...args);
  };
  module.randomInt = (most: number) => processHere()?.random.below(most) ?? randomInt(most);
  const files = require('node:fs/promises') as typeof import('node:fs/promises');
  const { open } = files;
  // A killed process closes no file.
  files.open = async (...args) => {
    const process = processHere();
    const file = await open(...args);
    process?.endings.push(() => void file.close().catch(() => {}));
    return file;
  };
  const { hostname, userInfo } = os;
  os.hostname = () => (processHere() ? 'simulated' : hostname());
  const named = (...args: [{ encoding: 'buffer' }]) => ({
    ...userInfo(...args),
    ...(processHere() ? { username: 'somebody' } : {}),
  });
  os.userInfo = named as typeof os.userInfo;
  syncBuiltinESMExports();
}

/** A timer that is due is a boundary of its process; one that is cleared before it passes does nothing. */
export function passTimers(process: Process): void {
  for (const due of process.timers.due(process.shared.nowMs)) {
    runIn(process, () => {
      const passed = pass('a timer is due', () => {}, { isQuiet: true });
      void passed.then(() => process.timers.remove(due) && due.run());
    });
  }
}
