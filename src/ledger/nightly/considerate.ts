import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisConnection } from '../../lua-script.ts';
import type { Ask } from './row-walk.ts';

/** So often it is looked how much others ask of Redis. */
const LOOK_EVERY_MS = 1_000;
/** So long nothing is asked while it is looked: some hundred commands of a line at work. */
const LOOK_MS = 20;
/** Others that take less of Redis' time than this are no line at work, but signs of life and looks of pages. */
const BUSY_SHARE = 0.04;
/** So many quiet looks behind each other, and the line is idle: one in between may fall between two bursts. */
const QUIET_LOOKS = 3;
/** While others work, so many times the time that a command took is waited before the next: a thirtieth of the time at the most is ours. */
const PAUSES = 30;

/** `usedMs` answers how much processor time Redis has used since it was started. */
type Considerate = { usedMs: () => Promise<number>; signal: AbortSignal; clock?: typeof CLOCK };

/**
 * Asks Redis so that whoever works goes first: while others take up Redis' time, each command of ours is followed by a pause in
 * proportion to the time that it took, so that a slow Redis is asked less; when the line is idle there is none. How much others ask is measured
 * by Redis' own processor time, in moments in which nothing of ours is asked.
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

/** Processor time of Redis' main thread, on a cluster that of the node that has used most; 0 where Redis does not say. */
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
