import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import { askedOf } from '../../src/ledger/schema/row.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { type Line, type Row, requestOf } from '../../src/portfolio/lines/row.ts';
import type { ResultOutcome } from '../../src/portfolio/results/outcomes.ts';
import { REPLACED_BY_LINE } from '../import/put-line.ts';

/**
 * The identity of a line: its row's cells if they are credible, all keys of its limit, the buyer, and a digest of what was
 * asked for. A document that is not in the folder has no path.
 */
export type LineIdentity = {
  row: Row | undefined;
  keys: string[];
  buyer: string | undefined;
  asked: string | undefined;
  amount: string | undefined;
};

/**
 * The identity of a line by its cell `limitline_buyer`, whatever became of the other cells. Without that, by the other cells,
 * as far as they are credible.
 */
export function identityOf(line: Line, outcome: ResultOutcome): LineIdentity {
  const { row, problem, known } = outcome;
  const key = rowIdOf(row)?.key ?? '';
  if (known) {
    const own = line.kind === 'row' && line.row.buyer === known.buyer ? line.row : undefined;
    return { row: own, keys: [key].filter((one) => one !== ''), ...known };
  }
  const own = line.kind === 'row' && speaks(problem) ? line.row : undefined;
  const keys = [key || ownKeyOf(line, problem)].filter((one) => one !== '');
  const told = { row: own, keys, buyer: own?.buyer, amount: own?.limit.requested_limit };
  // With another key than its row's, the cells do not say what was asked for.
  const asked = own && (key === '' || own.key === key) ? contentDigest(askedOf({ ...own, documents: [] })) : undefined;
  return { ...told, asked };
}

/**
 * What cannot be restored with certainty because cells may have changed since the request; nothing where they have not. @param
 * identity the result of {@link identityOf}
 */
export function uncertainty(line: Line, identity: LineIdentity, outcome: ResultOutcome): string | undefined {
  return outcome.known ? changedCells(line, outcome) : weakCells(line, identity, outcome);
}

/** The request key from the line's own cells; '' where they are not credible. */
function ownKeyOf(line: Line, problem: string): string {
  return line.kind !== 'invalid' && speaks(problem) ? requestOf(line) : '';
}

/** Whether the cells are those of the request. A line that was changed later has other ones. */
function speaks(problem: string): boolean {
  return problem === '' || SPEAKS_FOR_ROW.test(problem);
}

/** The calls are restored, but changed cells may hide other identifiers of the buyer. */
function changedCells(line: Line, { row, known }: ResultOutcome): string | undefined {
  if (line.kind === 'row' && line.row.buyer === known?.buyer) return undefined;
  if (line.kind === 'duplicate' && line.key === rowIdOf(row)?.key) return undefined;
  return `${CELLS_CHANGED}: what was made for it is put back, but a line that identifies its buyer in another way might be requested again`;
}

/** In files of earlier versions, or without a valid `limitline_buyer`, identity depends on the cells. */
function weakCells(line: Line, { keys: [key] }: LineIdentity, { problem }: ResultOutcome): string | undefined {
  if (key === undefined || ownKeyOf(line, problem) === key) return undefined;
  return `${CELLS_CHANGED}, and the file does not say which buyer it belongs to: its company or its limit might be requested again`;
}

const CELLS_CHANGED = 'the line may have been changed since it was requested';

/**
 * Problems of rows (jobs/steps/row-problem.ts, jobs/export/table.ts, jobs/import/put-line.ts). A fault of the line itself comes
 * before them.
 */
const SPEAKS_FOR_ROW = new RegExp(
  `^(?:Made twice at the service|It is unknown whether|The service (?:refused|put) |Limitline itself failed|${REPLACED_BY_LINE})`,
);
