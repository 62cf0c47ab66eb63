import { deliverOnce, startDelivering } from '../../jobs/notices/deliver.ts';
import type { Context } from '../../src/context.ts';
import type { Log } from '../../src/log.ts';

/** Delivers what people are to be told: last of all parts, so that one pass delivers what it told. */
export const DELIVERY = {
  name: 'the delivery of notices',
  start: (context: Context, going: { log: Log; signal: AbortSignal }) => startDelivering(context, going),
  once: (context: Context, going: { signal: AbortSignal }) => deliverOnce(context, going),
};
