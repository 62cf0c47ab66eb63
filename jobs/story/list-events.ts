import type { EventList, ListedEvent, LookedInto } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import type { KeptEvent } from '../../src/ledger/events/kept-event.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';

export type ListDeps = {
  events: Pick<Events, 'walk' | 'rowsOf' | 'totals' | 'limits' | 'portfolioCount'>;
  archives: Pick<Archives, 'list'>;
};

/** The most lookups of ids in portfolios for one page: a third of a second of Redis' time, in parts of some milliseconds. */
const MOST_LOOKUPS = 30_000;

/**
 * The latest events of the service with the rows that they name; with `portfolio`, only events that name its rows.
 *
 * @param asked.count the most events to answer
 * @param asked.latest how many of the latest portfolios to search for rows, fewer if events have very many ids; all if left out
 */
export async function listEvents(
  { sinceMs, portfolio, latest, count }: LookedInto & { sinceMs?: number | undefined; count: number },
  { events, archives }: ListDeps,
): Promise<EventList> {
  const [totals, archived, portfolios] = await Promise.all([events.totals(), archives.list(), events.portfolioCount()]);
  const facts = { totals, ...events.limits, archived: archived.length, unlooked: 0 };
  const found: ListedEvent[] = [];
  for await (const page of events.walk({ sinceMs, from: 'latest' })) {
    // Without a portfolio, every event counts, so no further ones are read.
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
