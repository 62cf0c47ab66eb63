import type { BlockedBy, PaceState } from './pace-state.ts';
import { type PaceSample, type PaceSpan, spansOf } from './samples.ts';
import { LONG_WAIT_MS, type SeenWindow, secondsInWindows, waitAt, windowSeen } from './windows-seen.ts';

/** Calls that are still to be made, at the least and at the most. */
type Calls = { fewest: number; most: number };

/** What is left, in seconds, from the least to the most. */
export type TimeLeft = { fromS: number; toS: number };

/**
 * So far back goes the mean: over whole windows of most services. A shorter one shows whether what was learned is what the service
 * takes; of less time yet no mean tells anything.
 */
const MEAN_MS = 30_000;
const LATELY_MS = 5_000;
const LEAST_MEAN_MS = 2_000;

/** What was learned is believed where it differs by less from what was taken lately: windows let more leave at times, or less. */
const NEAR = 1 / 3;

/** A portfolio that has less of what was taken shares it with others, for as long as they have rows; and it has something. */
const ALONE_FROM = 0.8;
const LEAST_SHARE = 0.01;

/** Less than this is nothing: one call was accepted some seconds ago, and none since. */
const LEAST_PER_S = 0.01;

/** Reasons for which nothing leaves that say nothing of the service's limit, see `pace-state.ts`; a short wait may. */
const AWAY: readonly string[] = ['outage', 'credentials', 'replicas', 'memory'] satisfies BlockedBy[];
const SHORT_WAIT_MS = 2_000;

/**
 * How long so many calls take, as a range: at what the service took of late, whatever is allowed at this moment; and where it
 * counts by long windows, by what they have room for. Nothing where it cannot be told, as while nobody is there.
 *
 * @param samples how the pace went, see `samples.ts`
 * @param ownPerS calls a second for these rows alone, where that was measured: others may have a share of the pace
 */
export function timeLeftRange(
  { fewest, most }: Calls,
  { pace, samples, ownPerS }: { pace: PaceState; samples: readonly PaceSample[]; ownPerS?: number | undefined },
  nowMs: number = Date.now(),
): TimeLeft | undefined {
  // Before a call was ever accepted, the pace is no more than what one begins with, also where nobody is there to answer.
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

/** What the service says of the first window, before the end of one was waited for. */
function windowTold(
  { window, flowPerS }: PaceState,
  lately: number | undefined,
  nowMs: number,
): SeenWindow | undefined {
  const perS = lately ?? flowPerS;
  return window && window.endsMs - nowMs >= LONG_WAIT_MS && perS >= LEAST_PER_S ? { ...window, perS } : undefined;
}

/** Calls a second of these rows, by what was learned and by what the service took; nothing where none leaves. */
function ratesOf(pace: PaceState, spans: readonly PaceSpan[], ownPerS: number | undefined, nowMs: number) {
  const [mean, lately] = [meanPerS(spans, nowMs - MEAN_MS), meanPerS(spans, nowMs - LATELY_MS)];
  const isLearned = pace.isLimiting && pace.phase !== 'start';
  const statedPerS = isLearned ? (pace.statedPerS ?? 0) : 0;
  // While the limit is looked for, what goes now is all that is known of what will.
  const goesPerS = pace.phase === 'start' ? (lately ?? pace.flowPerS) : pace.flowPerS;
  const learnedPerS = isLearned ? statedPerS || pace.ratePerS : goesPerS;
  // What went half a minute ago says nothing where nothing leaves now.
  if (Math.max(lately ?? 0, learnedPerS) < LEAST_PER_S) return undefined;
  const isRight = lately === undefined || isNear(learnedPerS, lately);
  // What went before a stated rate was kept to says nothing any more.
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

/** Whether calls leave, or will when the service's limit lets them: how long it is away nobody knows. */
function goesOn({ blocked, tripped = [], paused = [], flowPerS }: PaceState, nowMs: number): boolean {
  if (tripped.length + paused.length > 0) return false;
  if (!blocked || blocked.untilMs <= nowMs || isLimit(blocked)) return true;
  // Some proxies say so of a limit too: then calls are taken in between.
  return blocked.untilMs - nowMs < SHORT_WAIT_MS && flowPerS >= LEAST_PER_S;
}

function isLimit({ because }: NonNullable<PaceState['blocked']>): boolean {
  return because !== undefined && !AWAY.includes(because);
}

/** The samples, with how the pace stands now as the last one. */
function upTo(samples: readonly PaceSample[], { accepted, blocked }: PaceState, nowMs: number): readonly PaceSample[] {
  const last = samples.at(-1);
  if (!last || accepted === undefined || last.atMs >= nowMs) return samples;
  const waitsUntilMs = blocked && isLimit(blocked) ? blocked.untilMs : 0;
  return [...samples, { ...last, atMs: nowMs, accepted, waitsUntilMs }];
}

/** Calls a second since then, or since the last time that nobody worked or a long wait; nothing of too short a time. */
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

/** Less than this is "less than 10 s": the last calls are on their way. */
export const LEAST_TOLD_S = 10;

/** `4 to 6 min`, `about 50 s`, `less than 10 s`: a range in words for people; empty for none. */
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
