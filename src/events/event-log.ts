import { counted } from '../counted.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EventEnd } from './arrived-event.ts';

/** The first event is logged soon, for the person who sets it up; a flood writes one line a minute. */
const FIRST_MS = 1_000;
const EVERY_MS = 60_000;

/** The words for each outcome, behind a number. */
const WORDS: Readonly<Record<EventEnd, string>> = {
  kept: 'kept',
  known: 'known before',
  full: 'not kept, since EVENTS_KEEP_MB is used up',
  failed: 'not kept, since Redis did not take them',
  busy: 'not kept, since too much waited for Redis',
  stopping: 'turned away at the end',
  'too many': 'above EVENTS_PER_SECOND',
  'too large': 'above EVENTS_MAX_KB',
  'broken off': 'broken off',
  'wrong secret': 'with another secret than EVENTS_SECRET',
  'not here': 'sent to another address or by another method',
  unreadable: 'unreadable or too slow',
  crowded: 'beyond the connections that may be open',
};

/** Outcomes that a person has to act on. */
const TROUBLE: readonly EventEnd[] = ['full', 'failed', 'busy', 'wrong secret', 'crowded'];

/** Logs what came: once a minute if anything did, the first time soon. Only numbers and error messages; never an address, a header or a body. */
export function makeEventLog(log: Log) {
  const counts = new Map<EventEnd, number>();
  let reason: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let saidAtMs = Number.NEGATIVE_INFINITY;

  const say = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    saidAtMs = performance.now();
    const facts = { events: Object.fromEntries(counts), ...(reason === undefined ? {} : { reason }) };
    const all = [...counts].reduce((sum, [, count]) => sum + count, 0);
    const parts = [...counts].map(([end, count]) => `${count.toLocaleString('en')} ${WORDS[end]}`);
    const level = TROUBLE.some((end) => counts.has(end)) ? 'warn' : 'info';
    log[level](facts, `${counted(all, 'event')} came: ${parts.join(', ')}`);
    counts.clear();
    reason = undefined;
  };

  return {
    count(end: EventEnd, error?: unknown): void {
      counts.set(end, (counts.get(end) ?? 0) + 1);
      if (error !== undefined) reason = messageOf(error);
      timer ??= setTimeout(say, Math.max(FIRST_MS, saidAtMs + EVERY_MS - performance.now())).unref();
    },
    /** Logs what was not logged yet. */
    close: say,
  };
}
