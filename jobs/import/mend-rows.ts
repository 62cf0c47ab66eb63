import { heldRemedy } from '../../src/held-remedy.ts';
import type { AskingLine, OwnFile, ReplacingDecision } from '../../src/ledger/portfolios/replacing.ts';
import { describeRow, isTaken, isUnsent } from '../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { type RowId, rowIdOf } from '../../src/ledger/schema/schema.ts';

/**
 * Decides which row a line of an errors file replaces, by its cell `row` (`<portfolio>/<row key>`): that row, or the row that
 * has replaced it since. A line that asks for that same row replaces nothing.
 */
export async function decideMend(
  asking: AskingLine,
  cell: string,
  { rows, file }: { rows: Pick<Rows, 'ofRow'>; file: () => Promise<OwnFile> },
): Promise<ReplacingDecision> {
  const { portfolio, key } = asking.row;
  const named = rowIdOf(cell);
  if (!named) return { problem: 'The cell names no row: write what the errors file has there, or empty the cell.' };
  if (named.portfolio !== portfolio) return { problem: otherPortfolioProblem(named.portfolio, portfolio) };
  if (named.key === key) return { replaces: undefined };
  const found = await standingFor(named, asking, rows);
  if (found === 'own') return { replaces: undefined };
  if (!found) {
    return { problem: `Portfolio ${portfolio} has no such row: empty the cell, or write the errors file again.` };
  }
  const problem = whyNotMended(found) ?? ((await file()).has(found.row.key) ? stillAskedProblem(found) : undefined);
  return problem === undefined ? { replaces: found } : { problem };
}

/** How many replacements, one after another, are followed. People make a few. */
const MOST_HOPS = 100;

/** Follows the rows that replaced this one, in order. Ends with nothing if a replacing row does not exist. */
export async function* correctionsOf(
  { row: { portfolio }, replaced }: BuyerRow,
  rows: Pick<Rows, 'ofRow'>,
): AsyncGenerator<BuyerRow | undefined> {
  let key = replaced?.key;
  for (let hop = 0; key && hop < MOST_HOPS; hop += 1) {
    const next = await rows.ofRow({ portfolio, key });
    yield next;
    key = next?.replaced?.key;
  }
}

/** Follows the replacements of a row to the current one: `own` if that is the line's own row, nothing if there is none. */
async function standingFor(
  named: RowId,
  asking: AskingLine,
  rows: Pick<Rows, 'ofRow'>,
): Promise<BuyerRow | 'own' | undefined> {
  const first = await rows.ofRow(named);
  if (!first) return undefined;
  let found = first;
  for await (const next of correctionsOf(first, rows)) {
    if (found.replaced?.key === asking.row.key) return 'own';
    if (isTaken(found, asking)) return found;
    if (!next) return undefined;
    found = next;
  }
  return found;
}

/** Why this row must not be replaced, judged by the row alone; nothing if it may be. */
function whyNotMended(found: BuyerRow): string | undefined {
  const which = describeRow(found);
  if (found.replaced?.key)
    return `An earlier line of this file already mends this row, ${which}: keep one of the two, or empty this cell if the line is another request.`;
  if (found.limit === 'unknown') {
    return `It is unknown whether the limit of this row (${which}) was made. ${heldRemedy(found.row.portfolio)}.`;
  }
  if (isUnsent(found)) return undefined;
  return `changed after it was requested: the request of ${which} stays as it was sent. Empty this cell only if the line is another request, of another buyer or for a SECOND limit. If it is not, leave it out.`;
}

function otherPortfolioProblem(named: string, portfolio: string): string {
  return `This line mends a row of portfolio ${named}, not of ${portfolio}: import it with --portfolio "${named}", or empty this cell.`;
}

function stillAskedProblem(found: BuyerRow): string {
  return `Another line of this file asks for this row as it was, ${describeRow(found)}: keep one of the two, or empty this cell if the line is another request.`;
}
