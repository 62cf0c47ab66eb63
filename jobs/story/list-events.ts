import type { Archives } from '../../src/ledger/archive/archives.ts';
import type { RowsOfEvent } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import type { EventTotals, KeptEvent } from '../../src/ledger/events/kept-event.ts';

/** An event, and the rows that it names. */
export type ListedEvent = KeptEvent & RowsOfEvent;

/** Events, the latest first; `more` says that there are others which are meant as well. */
export type EventList = {
  events: ListedEvent[];
  more: boolean;
  totals: EventTotals;
  /** What may be kept, in bytes, and for how long. */
  mostBytes: number;
  keepMs: number;
  /** Portfolios whose rows are not in Redis, so that nobody sees whether an event names one of them. */
  archived: number;
};

export type ListDeps = {
  events: Pick<Events, 'walk' | 'rowsOf' | 'totals' | 'limits'>;
  archives: Pick<Archives, 'list'>;
};

/**
 * The latest events of the service, each with the rows that it names: of all, or of those that name rows of a portfolio.
 *
 * @param asked.count so many at the most
 */
export async function listEvents(
  { sinceMs, portfolio, count }: { sinceMs?: number | undefined; portfolio?: string | undefined; count: number },
  { events, archives }: ListDeps,
): Promise<EventList> {
  const [totals, archived] = await Promise.all([events.totals(), archives.list()]);
  const facts = { totals, ...events.limits, archived: archived.length };
  const found: ListedEvent[] = [];
  for await (const page of events.walk({ sinceMs, from: 'latest' })) {
    // Where all are meant, no more are looked at than are told.
    const looked = portfolio === undefined ? page.slice(0, count + 1 - found.length) : page;
    const rows = await events.rowsOf(looked, { portfolio });
    for (const [place, event] of looked.entries()) {
      const named = rows[place] ?? { rows: [], moreRows: false };
      if (portfolio !== undefined && named.rows.length === 0) continue;
      if (found.length === count) return { events: found, more: true, ...facts };
      found.push({ ...event, ...named });
    }
  }
  return { events: found, more: false, ...facts };
}
