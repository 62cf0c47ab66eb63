import type { BlockedBy, PaceState } from './pace-state.ts';
import { type PaceSample, type PaceSpan, spansOf } from './samples.ts';
import { LONG_WAIT_MS, type SeenWindow, secondsInWindows, waitAt, windowSeen } from './windows-seen.ts';

/** Calls still to be made, at the least and at the most. */
type Calls = { fewest: number; most: number };

/** The time left in seconds, from the least to the most. */
export type TimeLeft = { fromS: number; toS: number };

/**
 * Time over which the accepted calls are averaged, in ms: whole windows of most services. LATELY_MS shows whether the learned rate is
 * right. Below LEAST_MEAN_MS there is no mean.
 */
const MEAN_MS = 30_000;
const LATELY_MS = 5_000;
const LEAST_MEAN_MS = 2_000;

/** The learned rate is used if it differs by less than this share from the latest mean; windows let through more or less at times. */
const NEAR = 1 / 3;

/**
 * Share of all calls from which on a portfolio counts as alone. With a smaller share it divides the pace with other portfolios while they
 * have rows; its share then counts as at least LEAST_SHARE.
 */
const ALONE_FROM = 0.8;
const LEAST_SHARE = 0.01;

/** Calls a second below which a rate counts as zero: such a rate comes from one call some seconds ago. */
const LEAST_PER_S = 0.01;

/**
 * Reasons of a block that do not concern the service's limit, see `pace-state.ts`. A wait shorter than SHORT_WAIT_MS may still be due to
 * that limit.
 */
const AWAY: readonly string[] = ['outage', 'credentials', 'replicas', 'memory'] satisfies BlockedBy[];
const SHORT_WAIT_MS = 2_000;

/**
 * How long the calls take that are still to be made, as a range. It uses the rate that the service accepted lately or, if the service
 * counts by long windows, the calls that these allow. Undefined if nothing is known, or while the service is away.
 *
 * @param samples the pace's history, see `samples.ts`
 * @param ownPerS measured calls a second for these rows alone, if known: others may share the pace
 */
export function timeLeftRange(
  { fewest, most }: Calls,
  { pace, samples, ownPerS }: { pace: PaceState; samples: readonly PaceSample[]; ownPerS?: number | undefined },
  nowMs: number = Date.now(),
): TimeLeft | undefined {
  // Before the first accepted call the pace is only the initial rate, even if the service is away.
  if (most <= 0 || pace.accepted === 0 || !goesOn(pace, nowMs)) return undefined;
  const spans = spansOf(upTo(samples, pace, nowMs));
  const window = windowSeen(spans, nowMs) ?? windowTold(pace, meanPerS(spans, nowMs - LATELY_MS), nowMs);
  const waitsMs = pace.blocked && isLimit(pace.blocked) ? pace.blocked.untilMs - nowMs : 0;
  const waitsS = waitsMs < LONG_WAIT_MS ? 0 : waitsMs / 1_000;
  if (window) {
    const fromS = secondsInWindows(fewest, window, nowMs);
    const isTold = !window.isGuess || pace.tellsWindows;
    return { fromS: isTold ? fromS : waitsS + fewest / window.perS, toS: secondsInWindows(most, window, nowMs) };
  }
  const rates = ratesOf(pace, spans, ownPerS, nowMs);
  return rates && { fromS: waitsS + fewest / rates.fastest, toS: waitsS + most / rates.slowest };
}

/** The service's window as its headers state it. It is used until the end of a window was observed, which shows more. */
function windowTold(
  { window, flowPerS }: PaceState,
  lately: number | undefined,
  nowMs: number,
): SeenWindow | undefined {
  const perS = lately ?? flowPerS;
  return window && window.endsMs - nowMs >= LONG_WAIT_MS && perS >= LEAST_PER_S ? { ...window, perS } : undefined;
}

/** Calls a second of these rows: by the learned rate and by the accepted calls. Undefined if no calls leave. */
function ratesOf(pace: PaceState, spans: readonly PaceSpan[], ownPerS: number | undefined, nowMs: number) {
  const [mean, lately] = [meanPerS(spans, nowMs - MEAN_MS), meanPerS(spans, nowMs - LATELY_MS)];
  const isLearned = pace.isLimiting && pace.phase !== 'start';
  const statedPerS = isLearned ? (pace.statedPerS ?? 0) : 0;
  // While the rate doubles, the present rate is the only estimate.
  const goesPerS = pace.phase === 'start' ? (lately ?? pace.flowPerS) : pace.flowPerS;
  const learnedPerS = isLearned ? statedPerS || pace.ratePerS : goesPerS;
  // If nothing leaves now, older calls do not count.
  if (Math.max(lately ?? 0, learnedPerS) < LEAST_PER_S) return undefined;
  const isRight = lately === undefined || isNear(learnedPerS, lately);
  // Calls before the stated rate applied do not count.
  const isKept = statedPerS > 0 && isRight && mean !== undefined && !isNear(learnedPerS, mean);
  const taken = (isKept ? lately : mean) ?? ownPerS ?? 0;
  const known = [taken, isRight ? learnedPerS : 0];
  const rates = known.filter((perS) => perS >= LEAST_PER_S);
  const share = ownPerS !== undefined && mean ? Math.max(ownPerS / mean, LEAST_SHARE) : 1;
  const slowest = Math.min(...rates) * (share < ALONE_FROM ? share : 1);
  return rates.length > 0 ? { fastest: Math.max(...rates), slowest } : undefined;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < NEAR * Math.max(one, other);
}

/** Whether calls leave now, or will when the service's limit allows it. How long an outage lasts is unknown. */
function goesOn({ blocked, tripped = [], paused = [], flowPerS }: PaceState, nowMs: number): boolean {
  if (tripped.length + paused.length > 0) return false;
  if (!blocked || blocked.untilMs <= nowMs || isLimit(blocked)) return true;
  // Some proxies send an outage status for a limit, and then accept calls in between.
  return blocked.untilMs - nowMs < SHORT_WAIT_MS && flowPerS >= LEAST_PER_S;
}

function isLimit({ because }: NonNullable<PaceState['blocked']>): boolean {
  return because !== undefined && !AWAY.includes(because);
}

/** The samples, with the present state as the last one. */
function upTo(samples: readonly PaceSample[], { accepted, blocked }: PaceState, nowMs: number): readonly PaceSample[] {
  const last = samples.at(-1);
  if (!last || accepted === undefined || last.atMs >= nowMs) return samples;
  const waitsUntilMs = blocked && isLimit(blocked) ? blocked.untilMs : 0;
  return [...samples, { ...last, atMs: nowMs, accepted, waitsUntilMs }];
}

/** Mean calls a second since `sinceMs`, or since the last idle time or long wait; undefined for too short a time. */
function meanPerS(spans: readonly PaceSpan[], sinceMs: number): number | undefined {
  let [calls, ms] = [0, 0];
  for (const [place, span] of [...spans.entries()].reverse()) {
    const spanMs = span.atMs - Math.max(span.fromMs, sinceMs);
    const isIdle =
      span.acceptedPerS === 0 &&
      (span.waitsUntilMs === 0 ? spanMs >= LONG_WAIT_MS : waitAt(spans, place) !== undefined);
    const isGap = (spans[place + 1]?.fromMs ?? span.atMs) > span.atMs;
    if (spanMs <= 0 || isIdle || isGap) break;
    calls += (span.acceptedPerS * spanMs) / 1_000;
    ms += spanMs;
  }
  return ms < LEAST_MEAN_MS ? undefined : (calls * 1_000) / ms;
}

/** Shorter times are shown as "less than 10 s": the last calls are in flight. */
export const LEAST_TOLD_S = 10;

/** A range as text for people, such as `4 to 6 min`, `about 50 s` or `less than 10 s`; empty for undefined. */
export function timeLeftWords(range: TimeLeft | undefined): string {
  if (!range) return '';
  const { fromS, toS } = range;
  if (toS < LEAST_TOLD_S) return `less than ${LEAST_TOLD_S} s`;
  const [unit, seconds] = UNITS.find(([, , most]) => toS < most) ?? ['d', 86_400];
  const [from, to] = [round(fromS / seconds), round(toS / seconds)];
  return from === to || to === 0 ? `about ${to || 1} ${unit}` : `${from} to ${to} ${unit}`;
}

/** A unit, its seconds, and up to how many seconds it is used. */
const UNITS = [
  ['s', 1, 90],
  ['min', 60, 5_400],
  ['h', 3_600, 172_800],
] as const;

function round(value: number): number {
  if (value >= 20) return Math.round(value / 5) * 5;
  return value >= 3 ? Math.round(value) : Math.round(value * 2) / 2;
}
