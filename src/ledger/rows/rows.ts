import { makeRowLists } from '../search/row-pages.ts';
import { makeLargestRows, makeRowSearch } from '../search/row-search.ts';
import type { SearchOptions } from '../search/row-walks.ts';
import { makeAnsweredLately } from './answered-lately.ts';
import { makeBuyerRows } from './buyer-rows.ts';
import { makeImportRows, makePutRows } from './put-rows.ts';
import { makeRowMoves, type RowOptions } from './row-moves.ts';

export type Rows = ReturnType<typeof makeRows>;

/** The rows of all portfolios. Each change of a row changes its state and all counts in one step of Redis. */
export function makeRows(options: RowOptions & SearchOptions) {
  return {
    ...makePutRows(options),
    ...makeRowMoves(options),
    ...makeRowLists(options),
    ...makeBuyerRows(options),
    ...makeImportRows(options),
    ...makeRowSearch(options),
    ...makeLargestRows(options),
    ...makeAnsweredLately(options),
    /** Whether rows are added to the search indexes. */
    isSearched: options.isSearched ?? true,
  };
}
