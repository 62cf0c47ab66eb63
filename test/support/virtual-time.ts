import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { type Breakers, makeBreakers } from '../../src/pace/breakers.ts';
import { makePace, type Pace } from '../../src/pace/pace.ts';
import { freshPrefix } from './ledger.ts';
import { makeScriptServer, type ScriptServer } from './script-server.ts';
import { makeTimers } from './virtual-timers.ts';

/** An arbitrary moment, the same for each run, because windows of the service begin at full seconds. */
const BEGIN_MS = Date.UTC(2026, 0, 1, 8, 30);

/** The duration of a trip to Redis; timers count whole milliseconds. */
const TRIP_MS = 1;

/** Simulations take hours at most; a longer one never ends. */
const LONGEST_MS = 48 * 3_600_000;

/**
 * Runs a body with real paces and breakers and their real scripts on the Redis of the test run, with one clock for all
 * of it. The clock stands still while there is anything to do, and then jumps to the next timer. So minutes of a
 * portfolio pass in a second, however busy the machine is, and each run gives the same result.
 * In the body, and in everything that it calls, `setTimeout`, `Date.now` and `performance.now` use this clock, and
 * `Math.random` is a half; `new Date()` and timers of other modules are real. Each body has its own clock, so
 * `concurrent` tests do not disturb each other. Running more of them at a time makes each cheaper, because a trip to
 * Redis serves all of them.
 */
export async function inVirtualTime<T>(body: (time: VirtualTime) => Promise<T>): Promise<T> {
  const clock: Clock = { nowMs: BEGIN_MS, timers: makeTimers() };
  const server = open();
  try {
    return await clocks.run(clock, () => drive(clock, server, body));
  } finally {
    close();
  }
}

/** The functions for a body. */
type VirtualTime = ReturnType<typeof makeVirtualTime>;

/** A test whose body runs in virtual time. */
export function testInTime(title: string, body: (time: VirtualTime) => Promise<void>): void {
  test(title, () => inVirtualTime(body));
}

/** Waits in virtual time. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reads every 20 ms of virtual time until the condition holds, for half a minute at most. Returns the last value. */
export async function readUntil<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const endMs = Date.now() + 30_000;
  for (;;) {
    const value = await read();
    if (holds(value) || Date.now() > endMs) return value;
    await sleep(20);
  }
}

type Clock = { nowMs: number; timers: ReturnType<typeof makeTimers> };

const clocks = new AsyncLocalStorage<Clock>();

async function drive<T>(clock: Clock, server: ScriptServer, body: (time: VirtualTime) => Promise<T>): Promise<T> {
  const client = server.join();
  const running = body(makeVirtualTime(clock, client));
  let ended = false;
  const end = () => {
    ended = true;
  };
  running.then(end, end);
  try {
    for (;;) {
      await idle();
      if (ended) return await running;
      if (client.isWaiting()) {
        await client.reply();
        continue;
      }
      const next = clock.timers.next();
      if (!next) throw new Error('Nothing is left to happen.');
      if (next.atMs - BEGIN_MS > LONGEST_MS) throw new Error('This goes on for ever.');
      clock.nowMs = next.atMs;
      next.run();
    }
  } finally {
    client.leave();
  }
}

function makeVirtualTime(clock: Clock, client: ReturnType<ScriptServer['join']>) {
  const key = freshPrefix();
  const nowUs = () => Math.round(clock.nowMs * 1_000);
  const trip = async <R>(run: () => Promise<R>): Promise<R> => {
    await sleep(TRIP_MS);
    return run();
  };
  const connection: Record<string, unknown> = {
    defineCommand(command: string, { lua }: { lua: string }) {
      const script = client.load(command, lua);
      connection[command] = (...args: (string | number)[]) => trip(() => client.run(script, args, nowUs()));
    },
    time: () => trip(async () => [Math.floor(nowUs() / 1e6), nowUs() % 1e6]),
  };
  for (const command of ['hget', 'hmget', 'hset', 'lrange'] as const) {
    connection[command] = (...args: unknown[]) => trip(() => client.call(command, flat(args)));
  }
  const shared = { connection: connection as unknown as RedisConnection, log: makeSilentLog() };
  return {
    /** The connection that all its processes share, and the keys of their pace and breakers. */
    connection: shared.connection,
    paceKey: key,
    breakersKey: `${key}:doors`,

    /** Opens one of the processes that share the pace. */
    openPace: (options: { ceilingPerS?: number; log?: ReturnType<typeof makeSilentLog> } = {}): Pace =>
      makePace({ ceilingPerS: undefined, ...shared, ...options, key }),

    /** Opens the breakers as one of the processes sees them. */
    openBreakers: (): Breakers => makeBreakers({ ...shared, key: `${key}:doors` }),
  };
}

/** Fields may be given as an object, as with a real connection. */
function flat(args: unknown[]): unknown[] {
  return args.flatMap((arg) => (typeof arg === 'object' && arg !== null ? Object.entries(arg).flat() : [arg]));
}

/** Lets everything that is due now run. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  dateNow: Date.now,
  performanceNow: performance.now,
  random: Math.random,
};

let opened = 0;
let server: ScriptServer | undefined;

/**
 * While a body runs, clock functions return the time of the body to which the caller belongs, and the real time
 * otherwise.
 */
function open(): ScriptServer {
  opened += 1;
  if (server) return server;
  server = makeScriptServer();
  globalThis.setTimeout = ((run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const clock = clocks.getStore();
    return clock ? clock.timers.add(clock.nowMs, ms, () => run(...args)) : real.setTimeout(run, ms, ...args);
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    if (!clocks.getStore()?.timers.remove(timer)) real.clearTimeout(timer);
  };
  Date.now = () => clocks.getStore()?.nowMs ?? real.dateNow();
  performance.now = () => {
    const clock = clocks.getStore();
    return clock ? clock.nowMs - BEGIN_MS : real.performanceNow.call(performance);
  };
  Math.random = () => (clocks.getStore() ? 0.5 : real.random());
  return server;
}

function close(): void {
  opened -= 1;
  if (opened > 0) return;
  server?.close();
  server = undefined;
  globalThis.setTimeout = real.setTimeout;
  globalThis.clearTimeout = real.clearTimeout;
  Date.now = real.dateNow;
  performance.now = real.performanceNow;
  Math.random = real.random;
}
