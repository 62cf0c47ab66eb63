import type { ToldWindow } from './pace-state.ts';
import type { PaceSpan } from './samples.ts';

/** A window as observed: its calls are used up quickly and renewed all at once. */
export type SeenWindow = ToldWindow & {
  /** Calls that the service accepts per second until the window's calls are used up. */
  perS: number;
  /** Whether only one wait was observed, which the service may have asked for once. */
  isGuess?: boolean;
};

/**
 * From this length on, a wait counts as one for the next window. A shorter one does not show in a mean over seconds, and its length may be
 * our own guess.
 */
export const LONG_WAIT_MS = 5_000;

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
export function windowSeen(spans: readonly PaceSpan[], nowMs: number): SeenWindow | undefined {
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
export function secondsInWindows(
  calls: number,
  { perS, lengthMs, endsMs, ...window }: SeenWindow,
  nowMs: number,
): number {
  const leftS = (endsMs - nowMs) / 1_000;
  const now = Math.min(window.left, perS * leftS);
  if (calls <= now) return calls / perS;
  const room = Math.min(window.calls, (perS * lengthMs) / 1_000);
  const whole = Math.ceil((calls - now) / room) - 1;
  return leftS + (whole * lengthMs) / 1_000 + (calls - now - whole * room) / perS;
}

function callsOf({ acceptedPerS, fromMs, atMs }: PaceSpan): number {
  return (acceptedPerS * (atMs - fromMs)) / 1_000;
}

/** The long wait at the end of the span `last`: index of the span in which the wait began, and when it ends. Undefined if it was short. */
export function waitAt(spans: readonly PaceSpan[], last: number): { first: number; untilMs: number } | undefined {
  const { waitsUntilMs: untilMs } = spans[last] as PaceSpan;
  let first = last;
  for (let span = spans[first]; span; span = spans[first]) {
    const before = spans[first - 1]?.waitsUntilMs ?? 0;
    if (before === 0 || (span.acceptedPerS > 0 && Math.abs(before - untilMs) > SAME_MS)) break;
    first -= 1;
  }
  return untilMs - (spans[first] as PaceSpan).fromMs < LONG_WAIT_MS ? undefined : { first, untilMs };
}

/**
 * The calls before a wait, from the long wait before it or from the first call on: how many, since when, and the fastest rate among them.
 */
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

function sumOf(spans: readonly PaceSpan[]): number {
  return spans.reduce((sum, span) => sum + callsOf(span), 0);
}
