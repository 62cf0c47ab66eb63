import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** How rows are found by a filter: a page at a time, by key, so that who moves rows meanwhile makes none come twice. */
export type FindRows = Pick<Rows, 'page'>;

/** Rows at a time. */
const PAGE = 500;

/** All rows of a portfolio that a plan's filter names, page by page: it names its states, and where it names none it means none. */
export async function* pagesOfFilter(rows: FindRows, portfolio: string, filter: RowFilter): AsyncGenerator<FoundRow[]> {
  if (filter.states === undefined || filter.states.length === 0) return;
  let after: string | undefined;
  do {
    const page = await rows.page(portfolio, filter, { after, count: PAGE });
    if (page.found.length > 0) yield page.found;
    after = page.next;
  } while (after !== undefined);
}
