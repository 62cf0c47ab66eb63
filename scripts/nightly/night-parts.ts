import { inboxOnce, startInbox } from '../../jobs/inbox/watch-inbox.ts';
import { deliverOnce, startDelivering } from '../../jobs/notices/deliver.ts';
import { startWatching, watchOnce } from '../../jobs/notices/watch.ts';
import type { Context } from '../../src/context.ts';
import type { Log } from '../../src/log.ts';

/** What the night's process does beside the schedule. */
export type NightPart = {
  name: string;
  /** Goes on until it is stopped. Its own faults are its own to log and to try again. */
  start(context: Context, going: { log: Log; signal: AbortSignal }): Started | Promise<Started>;
  /** One pass, for `limitline nightly` by a timer. */
  once(context: Context, going: { signal: AbortSignal }): Promise<unknown>;
};

type Started = { stop(): void | Promise<void> };

/** In the order in which one pass does them: what is told of is delivered in the same pass. */
export const NIGHT_PARTS: readonly NightPart[] = [
  { name: 'the drop folder', start: startInbox, once: inboxOnce },
  {
    name: 'the look for notices',
    start: startWatching,
    once: (context, { signal }) => watchOnce(context, { log: context.log, signal }),
  },
  { name: 'the delivery of notices', start: startDelivering, once: deliverOnce },
];
