import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/**
 * The pace at one moment. `accepted`, `throttled`: calls since the account's first. `learnedPerS`: the learned rate; 0 until a limit was
 * reached. `waitsUntilMs`: until when the service's limit stops all calls; 0 if it does not. `made`: things made since the first call, by
 * kind; samples of an earlier version lack it.
 */
export type PaceSample = {
  atMs: number;
  accepted: number;
  throttled: number;
  learnedPerS: number;
  waitsUntilMs: number;
  made?: Readonly<Record<MadeKind, number>>;
};

/** The kinds of things that rows' steps make. */
type MadeKind = 'company' | 'document' | 'limit';

/** The pace between two samples, in calls a second; `atMs` is the end. */
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

/** Samples kept: an hour, some 120 KB in Redis. They expire a week after the last call. */
const KEPT = 1_800;
const KEPT_FOR_S = 7 * 86_400;

/** Time between two samples, in ms, from which on it counts as a gap: no process worked, or nothing happened. */
const GAP_MS = 5 * SAMPLE_EVERY_MS;

/**
 * History of an account's pace over the last hour with calls, kept in Redis.
 *
 * @param paceKey key of the pace, see {@link makePace}
 * @param key key of the samples
 * @param madeKey key of the hash that counts what was made, by kind
 */
export function makePaceSamples(
  connection: RedisConnection,
  { paceKey, key, madeKey }: { paceKey: string; key: string; madeKey: string },
) {
  const add = makeLuaScript(connection, new URL('./lua/add-sample.lua', import.meta.url));
  return {
    /** Adds a sample, unless any process did so within the last two seconds. */
    async add(): Promise<boolean> {
      // The timer may fire a little early. If its sample were skipped, the next one would come late.
      return (await add([paceKey, key, madeKey], [SAMPLE_EVERY_MS - 100, KEPT, KEPT_FOR_S])) === 1;
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
 * How many things of a kind were made a minute in the last `overMs`, as far as samples go back; undefined if no sample counts things of
 * that kind.
 */
export function madePerMinute(
  samples: readonly PaceSample[],
  kind: MadeKind,
  { overMs, nowMs }: { overMs: number; nowMs: number },
): number | undefined {
  const known = samples.filter(({ made }) => made);
  // No sample is taken while nothing happens. So all that was made since the last sample before the span was made within the span.
  const first = known.findLast(({ atMs }) => atMs <= nowMs - overMs) ?? known[0];
  const [was, is] = [first?.made?.[kind], known.at(-1)?.made?.[kind]];
  if (!first || was === undefined || is === undefined) return undefined;
  return Math.max(0, is - was) / (Math.max(SAMPLE_EVERY_MS, Math.min(overMs, nowMs - first.atMs)) / 60_000);
}

/** Busy time over which accepted calls are averaged, in ms: whole windows of most services. */
const BUSY_MS = 30_000;

/**
 * Mean calls a second of the latest {@link BUSY_MS} in which calls were accepted, whenever that was; undefined if the samples show no
 * accepted call.
 */
export function busyPerS(samples: readonly PaceSample[]): number | undefined {
  let [calls, ms] = [0, 0];
  for (const { fromMs, atMs, acceptedPerS } of spansOf(samples).reverse()) {
    if (acceptedPerS === 0) continue;
    calls += (acceptedPerS * (atMs - fromMs)) / 1_000;
    ms += atMs - fromMs;
    if (ms >= BUSY_MS) break;
  }
  return ms === 0 ? undefined : (calls * 1_000) / ms;
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

/** Reads a sample as add-sample.lua writes it; older samples lack the last fields. */
function sampleOf(text: string): PaceSample | undefined {
  const [atMs, accepted, throttled, learnedPerS, waitsUntilMs = 0, company, document, limit] = text
    .split(' ')
    .map(Number);
  if (atMs === undefined || accepted === undefined || throttled === undefined || learnedPerS === undefined)
    return undefined;
  const made =
    company === undefined || document === undefined || limit === undefined ? undefined : { company, document, limit };
  return { atMs, accepted, throttled, learnedPerS, waitsUntilMs, ...(made && { made }) };
}
