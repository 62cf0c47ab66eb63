import { isOurs } from '../pace/breaker-words.ts';
import type { PaceState } from '../pace/pace-state.ts';
import { NEARLY_FULL } from '../redis-memory/memory.ts';

/**
 * Why nothing leaves: the service asked for a wait, met our calls as too fast, or is not there (which includes credentials
 * that it refuses); the memory of Redis is nearly full, or Redis is older than what was sent; nobody knows what became of the last calls of a kind; the data folder is out of
 * reach; or a person paused a queue.
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
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** What holds calls back at this moment; pure. Words for people become one of few labels. */
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
