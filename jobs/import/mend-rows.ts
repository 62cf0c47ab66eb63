import type { BuyerRow } from '../../src/ledger/buyer-rows.ts';
import {
  type Asking,
  type Decision,
  describeRow,
  isTaken,
  isUnsent,
  type OwnFile,
} from '../../src/ledger/replacing.ts';
import { type RowId, rowIdOf } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';

/** Corrections of corrections that are followed; a person makes a few. */
const MOST_HOPS = 100;

/**
 * Decides by the cell `row` of an errors file, `<portfolio>/<row key>`, which row a line replaces: that one, or the one that
 * stands in its place by now. A line that is that very row replaces nothing.
 */
export async function decideMend(
  asking: Asking,
  cell: string,
  { rows, file }: { rows: Pick<Rows, 'ofRow'>; file: () => Promise<OwnFile> },
): Promise<Decision> {
  const { portfolio, key } = asking.row;
  const named = rowIdOf(cell);
  if (!named) return { problem: 'This is no row of a portfolio: leave the cell as the errors file has it, or empty.' };
  if (named.portfolio !== portfolio) {
    const words = `This line mends a row of portfolio ${named.portfolio} and not of ${portfolio}`;
    return { problem: `${words}: import it with --portfolio "${named.portfolio}", or empty this cell.` };
  }
  if (named.key === key) return { replaces: undefined };
  const found = await standingFor(named, asking, rows);
  if (found === 'own') return { replaces: undefined };
  if (!found)
    return { problem: `Portfolio ${portfolio} has no such row: empty the cell, or write the errors file anew.` };
  const where = describeRow(found);
  if (found.replaced?.key)
    return { problem: `An earlier line of this file mends this row already, of ${where}: keep one of the two.` };
  if (found.limit === 'unknown') {
    return {
      problem: `It is unknown whether this row was made, of ${where}: say what became of it (limitline resolve).`,
    };
  }
  if (!isUnsent(found)) {
    const words = `changed after it was requested: the request of ${where} stays as it was sent`;
    return { problem: `${words}. To ask for this one besides, empty this cell.` };
  }
  if ((await file()).has(found.row.key)) {
    return { problem: `Another line of this file asks for this row as it was, of ${where}: keep one of the two.` };
  }
  return { replaces: found };
}

/** The row that this one is now: `own` is the line's, and nothing where there is none. */
async function standingFor(
  named: RowId,
  asking: Asking,
  rows: Pick<Rows, 'ofRow'>,
): Promise<BuyerRow | 'own' | undefined> {
  let found = await rows.ofRow(named);
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const next = found?.replaced?.key;
    if (next === asking.row.key) return 'own';
    if (!found || !next || isTaken(found, asking)) return found;
    found = await rows.ofRow({ portfolio: named.portfolio, key: next });
  }
  return found;
}
