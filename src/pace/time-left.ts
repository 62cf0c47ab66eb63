import type { PaceState } from './pace-state.ts';
import type { PaceSpan } from './samples.ts';

/** Calls that are still to be made, at the least and at the most. */
type Calls = { fewest: number; most: number };

/** What is left, in seconds, from the least to the most. */
export type TimeLeft = { fromS: number; toS: number };

/** The last minute says how fast it goes now. */
const LOOKED_BACK_MS = 60_000;

/** Less than this is nothing: one call was accepted some seconds ago, and none since. */
const LEAST_PER_S = 0.01;

/**
 * How long so many calls take at the pace that was learned, as a range: from what is surely left at the fastest of the last
 * minute, to all that may be left at the slowest. Nothing where it cannot be told, as while nothing leaves.
 *
 * @param ownPerS calls a second for these rows alone, where that was measured: others may have a share of the pace
 */
export function timeLeftRange(
  { fewest, most }: Calls,
  { pace, spans, ownPerS }: { pace: PaceState; spans: readonly PaceSpan[]; ownPerS?: number | undefined },
  nowMs: number = Date.now(),
): TimeLeft | undefined {
  const { blocked, shut = [] } = pace;
  if (most <= 0 || shut.length > 0 || (blocked && blocked.untilMs > nowMs)) return undefined;
  const now = pace.isLimiting ? pace.ratePerS : pace.flowPerS;
  const lately = spans.filter(({ atMs, acceptedPerS }) => atMs > nowMs - LOOKED_BACK_MS && acceptedPerS > 0);
  const rates = [now, ...middle(lately.map(({ acceptedPerS }) => acceptedPerS)), ...(ownPerS ? [ownPerS] : [])];
  const known = rates.filter((perS) => perS >= LEAST_PER_S);
  // What went a minute ago says nothing where nothing leaves now.
  if (now < LEAST_PER_S || known.length === 0) return undefined;
  return { fromS: fewest / Math.max(...known), toS: most / Math.min(...known) };
}

/** `4 to 6 min`, `about 50 s`, `less than 10 s`: a range in words for people; empty for none. */
export function timeLeftWords(range: TimeLeft | undefined): string {
  if (!range) return '';
  const { fromS, toS } = range;
  if (toS < 10) return 'less than 10 s';
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

/** The slowest and the fastest without the outer fifths: one sample is luck. */
function middle(rates: readonly number[]): number[] {
  const sorted = rates.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 5);
  const kept = sorted.slice(cut, sorted.length - cut);
  const [slowest, fastest] = [kept[0], kept.at(-1)];
  return slowest === undefined || fastest === undefined ? [] : [slowest, fastest];
}
