import type { BlockedBy, PaceState, ToldWindow } from './pace-words.ts';
import { type PaceSample, type PaceSpan, spansOf } from './samples.ts';

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

/** The learned rate is used if it differs by less than this share from the latest mean. The mean varies if the service counts in windows. */
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
 * Reasons of a block other than the service's limit (`pace-words.ts`). A wait shorter than SHORT_WAIT_MS may still be due to that limit
 * if calls pass in between.
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

const isNear = (one: number, other: number): boolean => Math.abs(one - other) < NEAR * Math.max(one, other);

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

/** A window as observed: its calls are used up quickly and renewed all at once. */
type SeenWindow = ToldWindow & {
  /** Calls that the service accepts per second until the window's calls are used up. */
  perS: number;
  /** Whether only one wait was observed, which the service may have asked for once. */
  isGuess?: boolean;
};

/**
 * From this length on, a wait counts as one for the next window. A shorter one does not show in a mean over seconds, and its length may be
 * our own guess.
 */
const LONG_WAIT_MS = 5_000;

/** Ends of waits that differ by less than this, in ms, belong to one wait, which several responses reported. */
const SAME_MS = 1_000;

/** Once more calls than this multiple of a window's were accepted without a wait, the service no longer counts as one with windows. */
const MORE_THAN_ALL = 1.1;

/** Shortest part of a window, in ms, from which a rate is taken. The calls of a shorter part may be the first few of many. */
const TELLS_FROM_MS = 2_000;

/**
 * The service's window, if one's end was waited for: its calls are those between two long waits. Undefined without a long wait, or if the
 * last one is too old to count.
 *
 * @param spans oldest first; the last one ends now
 */
function windowSeen(spans: readonly PaceSpan[], nowMs: number): SeenWindow | undefined {
  const last = spans.findLastIndex(({ waitsUntilMs }) => waitsUntilMs > 0);
  const wait = last < 0 ? undefined : waitAt(spans, last);
  if (!wait) return undefined;
  const { fromMs, calls, perS, isGuess } = burstBefore(spans, wait.first);
  if (calls < 1) return undefined;
  const lengthMs = wait.untilMs - fromMs;
  if (wait.untilMs > nowMs) return { calls, lengthMs, perS, isGuess, left: 0, endsMs: wait.untilMs };
  const used = sumOf(spans.slice(last + 1));
  const endsMs = wait.untilMs + lengthMs;
  // No wait followed, or there was more room: the service asked for that wait only once.
  if (nowMs > endsMs || used > MORE_THAN_ALL * calls) return undefined;
  const goneMs = nowMs - wait.untilMs;
  const presentPerS = goneMs < TELLS_FROM_MS ? perS : (used * 1_000) / goneMs;
  return { calls, lengthMs, perS: presentPerS, isGuess, left: Math.max(0, calls - used), endsMs };
}

/**
 * Seconds that a number of calls takes at a service with such windows: they leave at `perS` until a window is used up, and then wait for
 * the next one.
 */
function secondsInWindows(calls: number, { perS, lengthMs, endsMs, ...window }: SeenWindow, nowMs: number): number {
  const leftS = (endsMs - nowMs) / 1_000;
  const now = Math.min(window.left, perS * leftS);
  if (calls <= now) return calls / perS;
  const room = Math.min(window.calls, (perS * lengthMs) / 1_000);
  const whole = Math.ceil((calls - now) / room) - 1;
  return leftS + (whole * lengthMs) / 1_000 + (calls - now - whole * room) / perS;
}

const callsOf = ({ acceptedPerS, fromMs, atMs }: PaceSpan): number => (acceptedPerS * (atMs - fromMs)) / 1_000;

/** The long wait at the end of the span `last`: index of the span in which the wait began, and when it ends. Undefined if it was short. */
function waitAt(spans: readonly PaceSpan[], last: number): { first: number; untilMs: number } | undefined {
  const { waitsUntilMs: untilMs } = spans[last] as PaceSpan;
  let first = last;
  for (let span = spans[first]; span; span = spans[first]) {
    const before = spans[first - 1]?.waitsUntilMs ?? 0;
    if (before === 0 || (span.acceptedPerS > 0 && Math.abs(before - untilMs) > SAME_MS)) break;
    first -= 1;
  }
  return untilMs - (spans[first] as PaceSpan).fromMs < LONG_WAIT_MS ? undefined : { first, untilMs };
}

/** The calls before a wait, from the long wait before it or from the first call on: how many, since when, and the fastest rate among them. */
function burstBefore(spans: readonly PaceSpan[], wait: number) {
  let first = wait;
  for (let span = spans[first]; span; span = spans[first]) {
    const before = spans[first - 1];
    const isQuiet = before?.acceptedPerS === 0 && before.atMs - before.fromMs >= LONG_WAIT_MS;
    if (!before || isQuiet || before.atMs < span.fromMs) break;
    first -= 1;
  }
  const burst = spans.slice(first, wait + 1);
  const begun = burst.findIndex(({ acceptedPerS }) => acceptedPerS > 0);
  const fromMs = burst[Math.max(begun, 0)]?.fromMs ?? 0;
  return {
    // If the calls waited for the window's beginning, that moment is known to the millisecond as the end of the wait.
    fromMs: Math.max(fromMs, begun <= 0 ? (spans[first - 1]?.waitsUntilMs ?? 0) : 0),
    calls: sumOf(burst),
    isGuess: !(spans[first - 1]?.waitsUntilMs ?? 0),
    perS: Math.max(...burst.map(({ acceptedPerS }) => acceptedPerS)),
  };
}

const sumOf = (spans: readonly PaceSpan[]): number => spans.reduce((sum, span) => sum + callsOf(span), 0);
