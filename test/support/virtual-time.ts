import type { Redis } from 'ioredis';
import { onTestFinished, vi } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { type Doors, makeDoors } from '../../src/pace/doors.ts';
import { makePace, type Pace } from '../../src/pace/pace.ts';
import { connectRedis, freshPrefix } from './ledger.ts';

/** What a script reads the clock with, and what it reads instead: its last argument, in µs. */
const REDIS_CLOCK = "redis.call('TIME')";
const VIRTUAL_CLOCK = '{ 0, tonumber(ARGV[#ARGV]) }';

/** Any moment; the same for each run, since windows of the service's begin at full seconds. */
const BEGIN_MS = Date.UTC(2026, 0, 1, 8, 30);

/** A trip to Redis; timers count whole milliseconds. */
const TRIP_MS = 1;

/**
 * Real paces and their real scripts on the test run's Redis, with one clock for all of it that stands still while there
 * is anything to do and then jumps to the next timer: minutes of a portfolio pass in a second, whatever the machine has
 * to do besides.
 */
export async function openVirtualTime() {
  const redis = connectRedis();
  await redis.ping();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: BEGIN_MS });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const key = freshPrefix();
  let underWay = 0;

  const connection = new Proxy(redis, {
    get(target, name) {
      if (name === 'defineCommand') {
        return (command: string, { lua }: { lua: string }) => {
          if (!lua.includes(REDIS_CLOCK))
            throw new Error(`${command} reads the clock in a way that is not known here.`);
          target.defineCommand(command, { lua: lua.replace(REDIS_CLOCK, VIRTUAL_CLOCK) });
        };
      }
      const value = Reflect.get(target, name);
      if (typeof name !== 'string' || !name.startsWith('limitline:')) return value;
      return async (...words: (string | number)[]) => {
        await sleep(TRIP_MS);
        underWay += 1;
        try {
          return await value.call(target, ...words, Math.round(Date.now() * 1_000));
        } finally {
          underWay -= 1;
        }
      };
    },
  }) as Redis;

  return {
    /** One of the processes that share the pace. */
    openPace: (): Pace => makePace({ connection, key, ceilingPerS: undefined, log: makeSilentLog() }),

    /** What one of the processes knows of the doors that they share. */
    openDoors: (): Doors => makeDoors({ connection, key: `${key}:doors`, log: makeSilentLog() }),

    /** Lets time pass until the condition holds. */
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) {
        await idle();
        if (underWay > 0) continue;
        if (vi.getTimerCount() === 0) throw new Error('Nothing is left to happen.');
        vi.advanceTimersToNextTimer();
      }
    },
  };
}

/** Waits in virtual time. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Lets all that is due now be done. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
