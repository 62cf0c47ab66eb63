import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/**
 * The pace at one moment. `accepted`, `throttled`: calls since the account's first. `learnedPerS`: the learned rate; 0 until a limit was
 * reached. `waitsUntilMs`: until when the service's limit stops all calls; 0 if it does not.
 */
export type PaceSample = {
  atMs: number;
  accepted: number;
  throttled: number;
  learnedPerS: number;
  waitsUntilMs: number;
};

/** What happened between two samples, in calls a second; `atMs` is the end. */
export type PaceSpan = {
  fromMs: number;
  atMs: number;
  acceptedPerS: number;
  throttledPerS: number;
  learnedPerS: number;
  /** Until when the service's limit stops all calls, as of the span's end; 0 if it stops none. */
  waitsUntilMs: number;
};

export type PaceSamples = ReturnType<typeof makePaceSamples>;

/** Time between two samples; any process writes the next one. */
export const SAMPLE_EVERY_MS = 2_000;

/** Samples kept: an hour, some 70 KB in Redis. They expire a week after the last call. */
const KEPT = 1_800;
const KEPT_FOR_S = 7 * 86_400;

/** A longer time without a sample means that no process worked, or nothing happened. */
const GAP_MS = 5 * SAMPLE_EVERY_MS;

/**
 * History of an account's pace over the last hour with calls, kept in Redis.
 *
 * @param paceKey key of the pace, see {@link makePace}
 * @param key key of the samples
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
    /** Adds a sample, unless any process did so within the last two seconds. */
    async add(): Promise<boolean> {
      // Timers may fire a little early; a sample skipped for that would make the next one late.
      return (await add([paceKey, key], [SAMPLE_EVERY_MS - 100, KEPT, KEPT_FOR_S])) === 1;
    },

    /** The latest samples, at most `count`, the oldest first. */
    async read(count: number = KEPT): Promise<PaceSample[]> {
      const found = await connection.lrange(key, -count, -1);
      return found.map(sampleOf).filter((sample) => sample !== undefined);
    },
  };
}

/** Reads all samples, at most once for each new one, however many callers there are. */
export function makeSampleReader(samples: Pick<PaceSamples, 'read'>): () => Promise<PaceSample[]> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<PaceSample[]> = Promise.resolve([]);
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs < SAMPLE_EVERY_MS) return reading;
    readAtMs = nowMs;
    reading = samples.read();
    // The next call repeats a failed read.
    reading.catch(() => {
      readAtMs = Number.NEGATIVE_INFINITY;
    });
    return reading;
  };
}

/**
 * The spans between samples. Left out: gaps without a sample, unless the service's limit stopped all calls then, and spans over which the
 * counts began anew.
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

/** Reads `<ms> <accepted> <throttled> <rate> <until>`, as add-sample.lua writes it; older samples lack the last field. */
function sampleOf(text: string): PaceSample | undefined {
  const [atMs, accepted, throttled, learnedPerS, waitsUntilMs = 0] = text.split(' ').map(Number);
  if (atMs === undefined || accepted === undefined || throttled === undefined || learnedPerS === undefined)
    return undefined;
  return { atMs, accepted, throttled, learnedPerS, waitsUntilMs };
}
