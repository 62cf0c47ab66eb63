import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/**
 * How the pace stood at one moment: what was accepted and told to slow down in all, and the calls a second that might leave by
 * what was learned; 0 while no limit was met.
 */
export type PaceSample = { atMs: number; accepted: number; throttled: number; learnedPerS: number };

/** What happened between two samples, calls a second; `atMs` is the end of it. */
export type PaceSpan = {
  fromMs: number;
  atMs: number;
  acceptedPerS: number;
  throttledPerS: number;
  learnedPerS: number;
};

export type PaceSamples = ReturnType<typeof makePaceSamples>;

/** Time between two samples of the fleet, whoever writes them. */
export const SAMPLE_EVERY_MS = 2_000;

/** An hour of calls, some 70 KB in Redis; kept for a week after the last call. */
const KEPT = 1_800;
const KEPT_FOR_S = 7 * 86_400;

/** Longer than this there was no sample: nobody worked, or nothing happened. */
const GAP_MS = 5 * SAMPLE_EVERY_MS;

/**
 * How an account's pace went over the last hour in which calls were made, kept in Redis.
 *
 * @param paceKey the pace, see {@link makePace}
 * @param key where the samples are kept
 */
export function makePaceSamples({
  connection,
  paceKey,
  key,
}: {
  connection: RedisConnection;
  paceKey: string;
  key: string;
}) {
  const add = makeLuaScript(connection, new URL('./lua/add-sample.lua', import.meta.url));
  return {
    /** Notes how the pace stands now, unless a process of the fleet did so within the last two seconds. */
    async add(): Promise<boolean> {
      // Timers are a little early at times, and a sample that is left out for it would make the next one late.
      return (await add([paceKey, key], [SAMPLE_EVERY_MS - 100, KEPT, KEPT_FOR_S])) === 1;
    },

    /** The last samples, in the order of time; so many at the most. */
    async read(count: number = KEPT): Promise<PaceSample[]> {
      const found = await connection.lrange(key, -count, -1);
      return found.map(sampleOf).filter((sample) => sample !== undefined);
    },
  };
}

/**
 * What happened between each two samples. While nobody worked there is no sample, and while nothing happened one in a long time;
 * such a gap is left out, and so is what lies between two lives of the counts.
 */
export function spansOf(samples: readonly PaceSample[]): PaceSpan[] {
  return samples.slice(1).flatMap((sample, place) => {
    const before = samples[place] as PaceSample;
    const seconds = (sample.atMs - before.atMs) / 1_000;
    const [accepted, throttled] = [sample.accepted - before.accepted, sample.throttled - before.throttled];
    if (seconds <= 0 || seconds * 1_000 > GAP_MS || accepted < 0 || throttled < 0) return [];
    return [
      {
        fromMs: before.atMs,
        atMs: sample.atMs,
        acceptedPerS: accepted / seconds,
        throttledPerS: throttled / seconds,
        learnedPerS: sample.learnedPerS,
      },
    ];
  });
}

/** `<ms> <accepted> <throttled> <rate>`, as add-sample.lua writes it. */
function sampleOf(text: string): PaceSample | undefined {
  const [atMs, accepted, throttled, learnedPerS] = text.split(' ').map(Number);
  if (atMs === undefined || accepted === undefined || throttled === undefined || learnedPerS === undefined)
    return undefined;
  return { atMs, accepted, throttled, learnedPerS };
}
