import type { Place } from './simulation.ts';
import { realNowMs } from './virtual-globals.ts';

/** Starts measuring how fast schedules are played, and the cost of each. */
export async function startPace([place]: readonly Place[]) {
  const usedMs = async (): Promise<number> => (await place?.server.usedMs()) ?? 0;
  const [beganMs, before, redisBeforeMs] = [realNowMs(), process.cpuUsage(), await usedMs()];
  const spent = async () => {
    const { user, system } = process.cpuUsage(before);
    return { hereMs: (user + system) / 1_000, redisMs: (await usedMs()) - redisBeforeMs };
  };
  return {
    spent,
    secondsSoFar: (): number => (realNowMs() - beganMs) / 1_000,
    async say(count: number): Promise<void> {
      const { hereMs, redisMs } = await spent();
      sayPace(count, realNowMs() - beganMs, hereMs, redisMs);
    },
  };
}

/** Prints how fast schedules were played, and the cost of each. */
export function sayPace(count: number, ms: number, hereMs: number, redisMs: number): void {
  const each = (of: number): string => (of / Math.max(1, count)).toFixed(1);
  const pace = ((count * 1_000) / ms).toFixed(1);
  console.error(
    `${count} schedules, ${pace} a second; each took ${each(hereMs)} ms here and ${each(redisMs)} ms in Redis`,
  );
}
