import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { RowDocument, RowRequest } from '../../src/ledger/rows.ts';
import { alikeOfName } from '../../src/portfolio/identity/identity.ts';
import type { Line, Row } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';

/** A line's row as the ledger keeps it, with its documents as they are kept. */
export function rowRequest({ name, buyer, company, companyId, limit }: Row, documents: RowDocument[]): RowRequest {
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
}

/** A request that was sent keeps its words; what the line says instead of them has to be asked for on purpose. */
export function changedProblem(line: number, asked: RowRequest, sent: RowRequest | undefined): Problem {
  const [now, before] = [asked.limit.requested_limit, sent?.limit.requested_limit];
  const difference = before !== undefined && before !== now ? ` (sent: ${before})` : '';
  const stays =
    sent === undefined || sent.buyer !== asked.buyer
      ? 'under this name another buyer or amount was asked for'
      : 'the request stays as it was sent';
  return {
    ...{ line, column: before !== now ? 'requested_limit' : null, value: before !== now ? now : null },
    message: `changed after it was requested${difference}; ${stays}. To ask on purpose, give the line a request_reference of its own`,
  };
}

/**
 * Whether a line may take over a request of its name that was not sent, though it tells another buyer: the one of the same
 * company, whose number or country was mended, or the very row that its cell `row` names.
 */
export function mayTake(asked: RowRequest, known: RowRequest, { row, cell }: { row: RowId; cell: string }): boolean {
  return cell === rowName(row) || alikeOfName(asked.name) === alikeOfName(known.name);
}

/** A line whose request_reference is another buyer's; it counts as nobody's row. */
export function otherBuyers(
  { row: _row, warnings: _warnings, ...read }: Extract<Line, { kind: 'row' }>,
  known: RowRequest & { line?: number },
): Line {
  const where = known.line === undefined ? '' : `line ${known.line}, `;
  const message = `This request_reference is that of another buyer's request, ${where}"${known.name}" (${known.limit.requested_limit}), and a request is one buyer's: give this line another. If it corrects that request, mend it in the file that report --format errors-csv writes, whose column row says so.`;
  const problems = [makeProblem(read.line, 'request_reference', null, message)];
  return { ...read, kind: 'invalid', key: '', problems };
}
