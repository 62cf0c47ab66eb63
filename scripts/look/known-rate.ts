import type { Context } from '../../src/context.ts';
import { lookAtPace } from '../../src/open-service.ts';

/** Calls per second to be expected: the learned pace, limited by the ceiling; undefined where neither is known. */
export async function knownRate(context: Context): Promise<number | undefined> {
  const ceiling = context.settings.SERVICE_RATE_PER_S;
  const pace = await lookAtPace(context);
  // While the pace still doubles, it does not tell what the service accepts.
  if (!pace || pace.phase === 'start') return ceiling;
  return Math.min(pace.ratePerS, ceiling ?? Number.POSITIVE_INFINITY);
}
