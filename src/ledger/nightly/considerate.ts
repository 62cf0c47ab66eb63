import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisConnection } from '../../lua-script.ts';
import type { Ask } from './row-walk.ts';

/** Interval between measurements of the load by others on Redis. */
const LOOK_EVERY_MS = 1_000;
/** Length of a measurement, in which this process asks nothing: some hundred commands of busy workers. */
const LOOK_MS = 20;
/** A share of Redis' time. Below it no rows are being worked on: heartbeats and pages alone use less. */
const BUSY_SHARE = 0.04;
/** Quiet measurements in a row until Redis counts as idle: a single one may fall between two bursts. */
const QUIET_LOOKS = 3;
/** While others work, each command is followed by this many times its own duration as a pause: we take a thirtieth at most. */
const PAUSES = 30;

/** `usedMs` answers the processor time that Redis has used since it was started. */
type Considerate = { usedMs: () => Promise<number>; signal: AbortSignal; clock?: typeof CLOCK };

/**
 * Asks Redis so that busy workers go first. While others use Redis, each of our commands is followed by a pause in proportion to its
 * duration, so that a slow Redis is asked less; otherwise there are no pauses. The load by others is the processor time that Redis uses
 * while we ask nothing.
 */
export function makeConsiderate({ usedMs, signal, clock = CLOCK }: Considerate): Ask {
  let [mayAtMs, lookAtMs, busyLooks, running] = [0, 0, 0, 0];
  let looking: Promise<void> | undefined;

  const look = async () => {
    const before = await usedMs();
    const startedMs = clock.nowMs();
    await clock.sleep(LOOK_MS, signal);
    const share = ((await usedMs()) - before) / (clock.nowMs() - startedMs);
    busyLooks = share > BUSY_SHARE ? QUIET_LOOKS : Math.max(0, busyLooks - 1);
    lookAtMs = clock.nowMs() + LOOK_EVERY_MS;
  };

  return async (command) => {
    if (clock.nowMs() >= lookAtMs && running === 0) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
    }
    await looking;
    const waitMs = mayAtMs - clock.nowMs();
    if (waitMs >= 1) await clock.sleep(waitMs, signal);
    running += 1;
    const startedMs = clock.nowMs();
    try {
      return await command();
    } finally {
      running -= 1;
      const nowMs = clock.nowMs();
      if (busyLooks > 0) mayAtMs = Math.max(mayAtMs, nowMs + (nowMs - startedMs) * PAUSES);
    }
  };
}

const CLOCK = {
  nowMs: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }),
};

/** Processor time of Redis' main thread, on a cluster that of the busiest node; 0 if Redis does not say. */
export async function redisUsedMs(connection: RedisConnection): Promise<number> {
  const nodes = 'nodes' in connection ? connection.nodes('master') : [connection];
  const times = await Promise.all(
    nodes.map(async (node) => {
      const info = await node.info('cpu').catch(() => '');
      const seconds = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
      return seconds('used_cpu_user_main_thread') + seconds('used_cpu_sys_main_thread');
    }),
  );
  return Math.max(0, ...times) * 1_000;
}
