import type { ArchivedPortfolio } from '../../../ledger/schema/archives.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { archivedPage } from './archived-list.ts';

/** What the list of archived portfolios is handed. */
export type ArchivedPageFunctions = {
  /** So many from a place on, those first that left last; with how many there are. */
  page: (from: number, count: number) => Promise<{ archived: readonly ArchivedPortfolio[]; total: number }>;
};

/** A screen and a half, as of other portfolios. */
export const ARCHIVED_SHOWN = 40;

/** No account has more; and a place in an address is no way to make Redis count. */
const MOST_PLACES = 1_000_000;

/** `/archived`: the portfolios whose rows are in files, or that were forgotten. */
export function addArchivedPage(app: ConsoleApp, given: ArchivedPageFunctions): void {
  app.get('/archived', async (request, reply) => {
    const { from: text } = request.query as Record<string, unknown>;
    const from = typeof text === 'string' && /^\d{1,7}$/.test(text) ? Math.min(Number(text), MOST_PLACES) : 0;
    const { archived, total } = await given.page(from, ARCHIVED_SHOWN);
    const body = archivedPage({ archived, total, from, rights: request.rights });
    return reply.page({ title: 'Archived portfolios', at: 'portfolios', body });
  });
}
