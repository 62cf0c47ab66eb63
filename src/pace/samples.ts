import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/**
 * How the pace stood at one moment: what was accepted and told to slow down in all, and the calls a second that might leave by
 * what was learned; 0 while no limit was met. The service's limit lets nothing leave before `waitsUntilMs`; 0 where it does.
 */
export type PaceSample = {
  atMs: number;
  accepted: number;
  throttled: number;
  learnedPerS: number;
  waitsUntilMs: number;
};

/** What happened between two samples, calls a second; `atMs` is the end of it. */
export type PaceSpan = {
  fromMs: number;
  atMs: number;
  acceptedPerS: number;
  throttledPerS: number;
  learnedPerS: number;
  /** At the end of it; 0 where the service's limit lets calls leave. */
  waitsUntilMs: number;
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

/** The samples of an hour, read as often as there are new ones, however many look at however many portfolios. */
export function makeSampleReader(samples: Pick<PaceSamples, 'read'>): () => Promise<PaceSample[]> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<PaceSample[]> = Promise.resolve([]);
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs < SAMPLE_EVERY_MS) return reading;
    readAtMs = nowMs;
    reading = samples.read();
    // One that failed is tried again with the next look.
    reading.catch(() => {
      readAtMs = Number.NEGATIVE_INFINITY;
    });
    return reading;
  };
}

/**
 * What happened between each two samples. While nobody worked there is no sample, and while nothing happened one in a long time;
 * such a gap is left out, unless it was the service's limit that let nothing leave; and so is what lies between two lives of
 * the counts.
 */
export function spansOf(samples: readonly PaceSample[]): PaceSpan[] {
  return samples.slice(1).flatMap((sample, place) => {
    const before = samples[place] as PaceSample;
    const seconds = (sample.atMs - before.atMs) / 1_000;
    const [accepted, throttled] = [sample.accepted - before.accepted, sample.throttled - before.throttled];
    const isGap = seconds * 1_000 > GAP_MS && before.waitsUntilMs === 0 && sample.waitsUntilMs === 0;
    if (seconds <= 0 || isGap || accepted < 0 || throttled < 0) return [];
    return [
      {
        fromMs: before.atMs,
        atMs: sample.atMs,
        acceptedPerS: accepted / seconds,
        throttledPerS: throttled / seconds,
        learnedPerS: sample.learnedPerS,
        waitsUntilMs: sample.waitsUntilMs,
      },
    ];
  });
}

/** `<ms> <accepted> <throttled> <rate> <until>`, as add-sample.lua writes it; older ones have no last word. */
function sampleOf(text: string): PaceSample | undefined {
  const [atMs, accepted, throttled, learnedPerS, waitsUntilMs = 0] = text.split(' ').map(Number);
  if (atMs === undefined || accepted === undefined || throttled === undefined || learnedPerS === undefined)
    return undefined;
  return { atMs, accepted, throttled, learnedPerS, waitsUntilMs };
}
