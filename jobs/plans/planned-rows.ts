import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** Finds rows of a filter page by page, ordered by key, so that moving rows never come twice. */
export type FindRows = Pick<Rows, 'page'>;

const PAGE = 500;

/** All rows of a plan's filter, page by page. A filter without states means no rows. */
export async function* pagesOfFilter(rows: FindRows, portfolio: string, filter: RowFilter): AsyncGenerator<FoundRow[]> {
  if (filter.states === undefined || filter.states.length === 0) return;
  let after: string | undefined;
  do {
    const page = await rows.page(portfolio, filter, { after, count: PAGE });
    if (page.found.length > 0) yield page.found;
    after = page.next;
  } while (after !== undefined);
}
