import type { PaceState } from '../../src/pace/pace-state.ts';

/** Calls of others that leave meanwhile, and the looks upward of the pace, make it no more exact than this. */
const LONGER_BY = 1.5;

/**
 * So many calls take so many seconds at the pace that was learned, from and to; null where nothing was learned yet, or some
 * calls do not leave now.
 */
export function secondsOf(calls: number, pace: PaceState | undefined): { from: number; to: number } | null {
  if (!pace || pace.phase === 'start' || pace.ratePerS <= 0 || (pace.shut?.length ?? 0) > 0) return null;
  const seconds = calls / pace.ratePerS;
  return { from: Math.ceil(seconds), to: Math.ceil(seconds * LONGER_BY) };
}
