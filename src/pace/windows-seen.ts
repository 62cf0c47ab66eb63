import type { ToldWindow } from './pace-state.ts';
import type { PaceSpan } from './samples.ts';

/** An allowance that is used up at once and comes back at once, as it was seen to. */
export type SeenWindow = ToldWindow & {
  /** Calls a second while they leave. */
  perS: number;
  /** Whether a single wait was seen: that may have been the service's wish, once. */
  isGuess?: boolean;
};

/** A shorter wait is lost in the mean of some seconds, and may be a guess of ours. */
export const LONG_WAIT_MS = 5_000;

/** Ends of one wait, as several heard of it. */
const SAME_MS = 1_000;

/** So much more than a window had room for shows that there is none any more. */
const MORE_THAN_ALL = 1.1;

/** Calls of less than two seconds may be the first few of many. */
const TELLS_FROM_MS = 2_000;

/**
 * The window by which the service counts, where its end was waited for: what left before a long wait, since the one before it, is
 * what it has room for. Nothing where no wait was long, or the last one says nothing any more.
 *
 * @param spans in the order of time, the last of them up to now
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
  // Nobody had to wait for its end, or there was room for more: it was the service's wish, once.
  if (nowMs > endsMs || used > MORE_THAN_ALL * calls) return undefined;
  const goneMs = nowMs - wait.untilMs;
  const presentPerS = goneMs < TELLS_FROM_MS ? perS : (used * 1_000) / goneMs;
  return { calls, lengthMs, perS: presentPerS, isGuess, left: Math.max(0, calls - used), endsMs };
}

/** Seconds that so many calls take with such a window, at its speed. */
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

/** The wait in which that span ends: the span in which it began, and when it is over. Nothing where it was short. */
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

/** What left before a wait: from the end of the long one before it, or from when anything left. */
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
    // Where its beginning was waited for, that is known to the millisecond.
    fromMs: Math.max(fromMs, begun <= 0 ? (spans[first - 1]?.waitsUntilMs ?? 0) : 0),
    calls: sumOf(burst),
    isGuess: !(spans[first - 1]?.waitsUntilMs ?? 0),
    perS: Math.max(...burst.map(({ acceptedPerS }) => acceptedPerS)),
  };
}

function sumOf(spans: readonly PaceSpan[]): number {
  return spans.reduce((sum, span) => sum + callsOf(span), 0);
}
