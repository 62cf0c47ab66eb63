import { describeBlock, describeTripped } from './breaker-words.ts';
import type { PaceState } from './pace-state.ts';

/** The same for somebody who looks from outside, also when nothing goes on: then it is what the next call will meet. */
export function describeLearned(state: PaceState, nowMs: number = Date.now()): string {
  const words = describePace(state, nowMs);
  if (words !== '') return words;
  return state.phase === 'start' ? '' : `nothing leaves now; the service took ${rate(state.ratePerS)} last`;
}

/** The pace in words for people, such as "at the service's limit, 98 calls/s"; empty while nothing goes on. */
export function describePace(state: PaceState, nowMs: number = Date.now()): string {
  const { blocked, tripped = [], paused = [] } = state;
  // A person stopped these, and only a person lets them go on: whatever else is said, this is.
  const waits = paused.map(
    (queue) => `the queue ${queue} is paused; let it go on with: npx limitline resume --queue ${queue}`,
  );
  if (blocked && blocked.untilMs > nowMs) return [...waits, describeBlock(blocked, nowMs)].join('; ');
  if (tripped.length > 0) waits.push(describeTripped(tripped, nowMs));
  // Calls of the other kinds may go on meanwhile.
  if (waits.length > 0 && state.flowPerS < 0.05) return waits.join('; ');
  return [...waits, describeFlow(state)].filter(Boolean).join('; ');
}

function describeFlow({ isLimiting, atCeiling, phase, ratePerS, flowPerS }: PaceState): string {
  if (isLimiting && atCeiling) return `at the ceiling of SERVICE_RATE_PER_S, ${rate(ratePerS)}`;
  // Before a call was answered, the pace is no more than what one begins with.
  // What is allowed changes from call to call while the limit is looked for, so what is taken is told.
  if (isLimiting && phase === 'start') return flowPerS < 0.05 ? '' : `finding the service's limit, ${rate(flowPerS)}`;
  if (isLimiting) return `at the service's limit, ${rate(ratePerS)}`;
  return flowPerS < 0.05 ? '' : `as fast as the service answers, ${rate(flowPerS)}`;
}

function rate(perS: number): string {
  return `${perS < 10 ? perS.toFixed(1) : Math.round(perS)} calls/s`;
}
