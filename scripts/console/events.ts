import { listEvents } from '../../jobs/story/list-events.ts';
import type { EventPageFunctions } from '../../src/console/pages/events/add-event-page.ts';
import type { EventsFunctions } from '../../src/console/pages/events/events-section.ts';
import type { Context } from '../../src/context.ts';
import { shownBody } from '../../src/ledger/events/kept-event.ts';

/** What a page shows of a body: more than anybody reads there; the export has all of it. */
const SHOWN_BYTES = 16_384;

/** A page waits for this, and accounts have thousands of portfolios: an event is of one of the latest, as a rule. */
const LATEST_PORTFOLIOS = 300;

/** What the page *Nightly* shows of the service's events. */
export function eventsFunctions(context: Pick<Context, 'events' | 'archives'>): EventsFunctions {
  return {
    look: async (count) => ({
      ...(await listEvents({ count, latest: LATEST_PORTFOLIOS }, context)),
      nowMs: Date.now(),
    }),
  };
}

/** What the page of one event is handed. */
export function eventPageFunctions({ events }: Pick<Context, 'events'>): EventPageFunctions {
  return {
    async look(id) {
      const raw = await events.raw(id);
      if (!raw) return undefined;
      const { body, headers, ...event } = raw;
      const [named = { rows: [], moreRows: false }] = await events.rowsOf([event]);
      return { event: { ...event, ...named }, headers: Object.entries(headers), body: shownBody(body, SHOWN_BYTES) };
    },
  };
}
