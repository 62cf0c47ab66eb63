import { makeBuyerRows } from './buyer-rows.ts';
import { makeImportRows } from './import-rows.ts';
import { makePutRow } from './put-row.ts';
import { makeRowLists } from './row-lists.ts';
import { makeRowMoves, type RowOptions } from './row-moves.ts';

export type Rows = ReturnType<typeof makeRows>;

/** The rows of all portfolios. Every change of state and of the counts behind it is one step in Redis. */
export function makeRows(options: RowOptions) {
  return {
    put: makePutRow(options),
    ...makeRowMoves(options),
    ...makeRowLists(options),
    ...makeBuyerRows(options),
    ...makeImportRows(options),
  };
}
