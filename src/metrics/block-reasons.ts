import { isOurs } from '../pace/breaker-words.ts';
import type { PaceState } from '../pace/pace-state.ts';
import { NEARLY_FULL } from '../redis-memory/memory.ts';

/**
 * Why calls are held back: the service asked to wait (`asked`), rejected calls as too fast, or cannot be reached or rejects the credentials
 * (`outage`); the memory of Redis is nearly full, or Redis is older than what was sent; the outcomes of the last calls of a kind are
 * unknown; the data folder cannot be reached; or a person paused a queue.
 */
export const BLOCK_REASONS = [
  'asked',
  'too fast',
  'outage',
  'memory',
  'older',
  'unknown outcome',
  'data folder',
  'paused queue',
] as const;
type BlockReason = (typeof BLOCK_REASONS)[number];

/** The reasons that hold calls back now; pure. Maps words for people to a few labels. */
export function blockedNow({ blocked, tripped = [], paused = [] }: PaceState, nowMs = Date.now()): Set<BlockReason> {
  const reasons = new Set<BlockReason>();
  if (blocked && blocked.untilMs > nowMs) reasons.add(reasonOf(blocked.why));
  for (const { why } of tripped) reasons.add(isOurs(why) ? 'data folder' : 'unknown outcome');
  if (paused.length > 0) reasons.add('paused queue');
  return reasons;
}

function reasonOf(why: string): BlockReason {
  if (why === 'the service asked to wait') return 'asked';
  if (why.startsWith(NEARLY_FULL)) return 'memory';
  return why === 'the service says too fast' ? 'too fast' : 'outage';
}
