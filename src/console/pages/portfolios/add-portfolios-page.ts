import type { ConsoleApp } from '../../console-app.ts';
import { addEvents } from '../../events/add-events.ts';
import type { Hub } from '../../events/hub.ts';
import type { PortfoliosLook } from './portfolios-look.ts';
import { LIST_ID, renderList, renderPortfolios } from './render-portfolios.ts';

/** What the list of portfolios is handed. */
export type PortfoliosPageFunctions = {
  /** A page of them, the newest first; `text` is what a name must contain. */
  page: (wish: { text: string; after?: string; count: number }) => Promise<PortfoliosLook>;
};

/** A screen and a half: the newest are what one looks for, and others are found by their name. */
export const PORTFOLIOS_SHOWN = 40;

/** No name is longer. */
const LONGEST_NAME = 100;

/** The events of the newest portfolios. */
const EVENTS = '/newest/events';

const FRESH_MS = 2_000;

/** `/`: all portfolios of the account. */
export function addPortfoliosPage(app: ConsoleApp, hub: Hub, given: PortfoliosPageFunctions): void {
  app.get('/', async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const text = textOf(query.text).trim().slice(0, LONGEST_NAME);
    const after = textOf(query.after);
    const look = await given.page({ text, count: PORTFOLIOS_SHOWN, ...(after === '' ? {} : { after }) });
    // What was looked for, and further pages, stay as they are.
    const events = text === '' && after === '' ? { events: EVENTS } : {};
    const body = renderPortfolios(look, { text, after, rights: request.rights });
    return reply.page({ title: 'Portfolios', at: 'portfolios', ...events, body });
  });
  const newest = makeNewest(given);
  addEvents(app, hub, {
    url: EVENTS,
    key: () => '',
    frame: async (_key, rights) => [{ id: LIST_ID, html: renderList(await newest(), { text: '', rights }) }],
  });
}

/** The newest, read again every two seconds at the most, however many pages watch them: each is a look at forty portfolios. */
function makeNewest({ page }: PortfoliosPageFunctions): () => Promise<PortfoliosLook> {
  let look: PortfoliosLook | undefined;
  return async () => {
    if (!look || Date.now() - look.nowMs >= FRESH_MS) look = await page({ text: '', count: PORTFOLIOS_SHOWN });
    return look;
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
