import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import { askedOf } from '../../src/ledger/schema/row.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { type Line, type Row, requestOf } from '../../src/portfolio/lines/row.ts';
import type { ResultOutcome } from '../../src/portfolio/results/outcomes.ts';
import { REPLACED_BY_LINE } from '../import/put-line.ts';

/**
 * Whose the line is: its row's cells where they are believed, all names that its limit goes by, the buyer, and what was asked
 * for, as a digest. A document that is not in the folder has no path.
 */
export type LineIdentity = {
  row: Row | undefined;
  keys: string[];
  buyer: string | undefined;
  asked: string | undefined;
  amount: string | undefined;
};

/**
 * Where the file says whose the line is (`limitline_buyer`), that is so, whatever became of its cells; else it is told by the
 * cells, as far as these are believed.
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
  // Under another key than its row's, what the cells ask for is not what was asked for.
  const asked = own && (key === '' || own.key === key) ? contentDigest(askedOf({ ...own, documents: [] })) : undefined;
  return { ...told, asked };
}

/**
 * What is not put back for certain, since the cells may be others than those that were requested; nothing where they are the
 * same. @param identity as {@link identityOf} tells it
 */
export function uncertainty(line: Line, identity: LineIdentity, outcome: ResultOutcome): string | undefined {
  return outcome.known ? changedCells(line, outcome) : weakCells(line, identity, outcome);
}

/** The key that the line's own cells lead to; '' where they are not believed. */
function ownKeyOf(line: Line, problem: string): string {
  return line.kind !== 'invalid' && speaks(problem) ? requestOf(line) : '';
}

/** Whose words the cells are: of a line that was changed after its request they are not the request's. */
function speaks(problem: string): boolean {
  return problem === '' || SPEAKS_FOR_ROW.test(problem);
}

/** What was made is put back for certain, but what else points to its buyer is told by cells. */
function changedCells(line: Line, { row, known }: ResultOutcome): string | undefined {
  if (line.kind === 'row' && line.row.buyer === known?.buyer) return undefined;
  if (line.kind === 'duplicate' && line.key === rowIdOf(row)?.key) return undefined;
  return `${CELLS_CHANGED}: what was made for it is put back, but a line that identifies its buyer in another way might be requested again`;
}

/** In a file of an earlier version, or where somebody changed the column that says whose it is, it is all told by cells. */
function weakCells(line: Line, { keys: [key] }: LineIdentity, { problem }: ResultOutcome): string | undefined {
  if (key === undefined || ownKeyOf(line, problem) === key) return undefined;
  return `${CELLS_CHANGED}, and the file does not say which buyer it belongs to: its company or its limit might be requested again`;
}

const CELLS_CHANGED = 'its cells may have been changed since they were requested';

/**
 * What rows themselves have to say (jobs/steps/row-problem.ts, jobs/export/table.ts, jobs/import/put-line.ts). A fault
 * of the line comes before that.
 */
const SPEAKS_FOR_ROW = new RegExp(
  `^(?:Made twice at the service|It is unknown whether|The service (?:refused|put) |Limitline itself failed|${REPLACED_BY_LINE})`,
);
