import type { Portfolios } from '../src/ledger/portfolios.ts';
import type { RowId } from '../src/ledger/row-id.ts';
import type { RowResult, RowState, Rows } from '../src/ledger/rows.ts';

/** Rows read at a time. */
const PAGE = 500;

export type FoundRow = { row: RowId; result: RowResult };

/**
 * Goes over all rows of a state, in the order of their lines, while `visit` may move them to another: it answers whether
 * it did, so that none is passed over.
 */
export async function walkRows(
  rows: Rows,
  portfolio: string,
  state: RowState,
  visit: (found: FoundRow) => Promise<boolean>,
): Promise<number> {
  let moved = 0;
  for (let from = 0; ; ) {
    const page = await rows.inState(portfolio, state, { from, count: PAGE });
    const ids = page.map(({ row }) => row);
    const results = await rows.read(ids);
    const visits = ids.map((row, place) => {
      const result = results[place];
      return result ? visit({ row, result }) : Promise.resolve(false);
    });
    const movedHere = (await Promise.all(visits)).filter(Boolean).length;
    moved += movedHere;
    from += page.length - movedHere;
    if (page.length < PAGE) return moved;
  }
}

/**
 * The rows of a state that a person means by a line's number: those of the last import, whose lines the results file
 * shows. Rows of earlier imports may bear the same number; they are meant only where the last import has none.
 */
export async function rowsOfLine(
  { rows, portfolios }: { rows: Rows; portfolios: Portfolios },
  portfolio: string,
  state: RowState,
  line: number,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  await walkRows(rows, portfolio, state, async (one) => {
    if (one.result.line === line) found.push(one);
    return false;
  });
  const { file } = await portfolios.read(portfolio);
  const latest = found.filter(({ result }) => result.importId === file?.id);
  return latest.length > 0 ? latest : found;
}
