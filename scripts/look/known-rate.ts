import type { Context } from '../../src/context.ts';
import { lookAtPace } from '../../src/open-service.ts';

/**
 * Calls a second that can be counted on: what the service took last, and no more than the ceiling; nothing where neither is
 * known.
 */
export async function knownRate(context: Context): Promise<number | undefined> {
  const ceiling = context.settings.SERVICE_RATE_PER_S;
  const pace = await lookAtPace(context);
  // While it still doubles, it says nothing of what the service bears.
  if (!pace || pace.phase === 'start') return ceiling;
  return Math.min(pace.ratePerS, ceiling ?? Number.POSITIVE_INFINITY);
}
