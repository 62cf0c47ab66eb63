import { listEvents } from '../../jobs/story/list-events.ts';
import type { EventPageFunctions } from '../../src/console/pages/events/add-event-page.ts';
import type { EventsFunctions } from '../../src/console/pages/events/events-section.ts';
import type { Context } from '../../src/context.ts';
import { shownBody } from '../../src/ledger/events/kept-event.ts';

/** Bytes of a body that a page shows. The export has all. */
const SHOWN_BYTES = 16_384;

/** Portfolios searched for a page, because accounts may have thousands. Events usually concern one of the latest. */
const LATEST_PORTFOLIOS = 300;

/** The functions for the service's events on the page *Nightly*. */
export function eventsFunctions(context: Pick<Context, 'events' | 'archives'>): EventsFunctions {
  return {
    look: async (count) => ({
      ...(await listEvents({ count, latest: LATEST_PORTFOLIOS }, context)),
      nowMs: Date.now(),
    }),
  };
}

/** The functions of the page of one event. */
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
