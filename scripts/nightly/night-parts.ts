import { inboxOnce, startInbox } from '../../jobs/inbox/watch-inbox.ts';
import type { Context } from '../../src/context.ts';
import type { Log } from '../../src/log.ts';
import { DELIVERY } from './delivery-part.ts';
import { WATCH } from './watch-part.ts';

/** What the night's process does beside the schedule. */
export type NightPart = {
  name: string;
  /** Goes on until it is stopped. Its own faults are its own to log and to try again. */
  start(context: Context, going: { log: Log; signal: AbortSignal }): Started | Promise<Started>;
  /** One pass, for `limitline nightly` by a timer. */
  once(context: Context, going: { signal: AbortSignal }): Promise<unknown>;
};

type Started = { stop(): void | Promise<void> };

const INBOX: NightPart = { name: 'the drop folder', start: startInbox, once: inboxOnce };

/** In the order in which one pass does them: what is told of is delivered in the same pass. */
export const NIGHT_PARTS: readonly NightPart[] = [INBOX, WATCH, DELIVERY];
