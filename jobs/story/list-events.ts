import type { LookedInto, RowsOfEvent } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import type { EventTotals, KeptEvent } from '../../src/ledger/events/kept-event.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';

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
  /** Older portfolios, in which no rows were looked for. */
  unlooked: number;
};

export type ListDeps = {
  events: Pick<Events, 'walk' | 'rowsOf' | 'totals' | 'limits' | 'portfolioCount'>;
  archives: Pick<Archives, 'list'>;
};

/** Ids looked for in portfolios while a page waits: a third of a second of Redis' time, some milliseconds at a time. */
const MOST_LOOKUPS = 30_000;

/**
 * The latest events of the service, each with the rows that it names: of all, or of those that name rows of a portfolio.
 *
 * @param asked.count so many at the most
 * @param asked.latest rows are looked for in so many of the latest portfolios, and in fewer where the events have very many ids; in
 * all where it is left out
 */
export async function listEvents(
  { sinceMs, portfolio, latest, count }: LookedInto & { sinceMs?: number | undefined; count: number },
  { events, archives }: ListDeps,
): Promise<EventList> {
  const [totals, archived, portfolios] = await Promise.all([events.totals(), archives.list(), events.portfolioCount()]);
  const facts = { totals, ...events.limits, archived: archived.length, unlooked: 0 };
  const found: ListedEvent[] = [];
  for await (const page of events.walk({ sinceMs, from: 'latest' })) {
    // Where all are meant, no more are looked at than are told.
    const looked = portfolio === undefined ? page.slice(0, count + 1 - found.length) : page;
    const within = latest === undefined ? undefined : Math.min(latest, mostPortfolios(looked));
    if (within !== undefined) facts.unlooked = Math.max(facts.unlooked, portfolios - within);
    const rows = await events.rowsOf(looked, { portfolio, latest: within });
    for (const [place, event] of looked.entries()) {
      const named = rows[place] ?? { rows: [], moreRows: false };
      if (portfolio !== undefined && named.rows.length === 0) continue;
      if (found.length === count) return { events: found, more: true, ...facts };
      found.push({ ...event, ...named });
    }
  }
  return { events: found, more: false, ...facts };
}

function mostPortfolios(events: readonly KeptEvent[]): number {
  const ids = events.reduce((sum, event) => sum + event.ids.length, 0);
  return Math.max(1, Math.floor(MOST_LOOKUPS / Math.max(1, ids)));
}
