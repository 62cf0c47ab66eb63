import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { ROW_STATES, type RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';

export type { FoundRow };

/**
 * Visits all rows of a state in line order, even while rows move to other states. Answers how often `visit` said that it moved
 * the row.
 */
export async function walkRows(
  rows: Rows,
  portfolio: string,
  state: RowState,
  visit: (found: FoundRow) => Promise<boolean>,
): Promise<number> {
  let moved = 0;
  for await (const page of foundPages(rows, portfolio, state)) {
    moved += (await Promise.all(page.map(visit))).filter(Boolean).length;
  }
  return moved;
}

/** Rows of a state page by page, each read when its page is reached. */
export async function* foundPages(rows: Rows, portfolio: string, state: RowState): AsyncGenerator<FoundRow[]> {
  for await (const page of pagesOf(rows, portfolio, state)) {
    yield await readFound(page, rows);
  }
}

/** Reads these rows, without those that do not exist. */
export async function readFound(page: readonly RowId[], rows: Pick<Rows, 'read'>): Promise<FoundRow[]> {
  const results = await rows.read(page);
  return page.flatMap((row, place) => {
    const result = results[place];
    return result ? [{ row, result }] : [];
  });
}

/** All rows of a state with this line number, of any import. */
export async function rowsAtLine(rows: Rows, portfolio: string, state: RowState, line: number): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for await (const page of pagesOf(rows, portfolio, state, { from: line, to: line })) {
    found.push(...(await readFound(page, rows)));
  }
  return found;
}

/**
 * The rows of a state with this line number. If the last import has such a line, only its row counts: results files show that
 * import's lines. Otherwise rows of earlier imports count.
 */
export async function rowsOfLine(
  { rows, portfolios }: { rows: Rows; portfolios: Portfolios },
  portfolio: string,
  state: RowState,
  line: number,
): Promise<FoundRow[]> {
  const found = await rowsAtLine(rows, portfolio, state, line);
  const { file } = await portfolios.read(portfolio);
  const latest = found.filter(({ result }) => result.importId === String(file?.number));
  if (latest.length > 0) return latest;
  // The last import's row of that line may be in another state. Then no row is meant.
  for (const other of ROW_STATES) {
    const others = await rowsAtLine(rows, portfolio, other, line);
    if (others.some(({ result }) => result.importId === String(file?.number))) return [];
  }
  return found;
}
