import type { RowRequest } from '../../src/ledger/schema/row.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import type { RowLine } from './decide-line.ts';

/** A line that leads to no row after all, though it has none of the faults that reading finds. */
export function refusedLine({ row, warnings: _warnings, ...read }: RowLine, problem: Problem): Line {
  return { ...read, kind: 'invalid', key: row.key, buyer: row.buyer, problems: [problem] };
}

/** A request that was sent stays as it was; what the line asks for instead of it has to be asked for on purpose. */
export function changedProblem(line: number, asked: RowRequest, sent: RowRequest | undefined): Problem {
  const now = asked.limit.requested_limit;
  const before = sent?.limit.requested_limit;
  const isOtherAmount = before !== now;
  const difference = before !== undefined && isOtherAmount ? ` (sent: ${before})` : '';
  const stays =
    sent === undefined || sent.buyer !== asked.buyer
      ? 'under this name another buyer or amount was asked for'
      : 'the request stays as it was sent';
  return {
    line,
    column: isOtherAmount ? 'requested_limit' : null,
    value: isOtherAmount ? now : null,
    message: `changed after it was requested${difference}; ${stays}. To request this as well, give the line a request_reference of its own`,
  };
}

/** A line whose request_reference is another buyer's; it counts as nobody's row. */
export function otherBuyersLine(
  { row: _row, warnings: _warnings, ...read }: RowLine,
  known: RowRequest & { line?: number },
): Line {
  const where = known.line === undefined ? '' : `line ${known.line}, `;
  const message = `This request_reference already belongs to another buyer's request, ${where}"${known.name}" (${known.limit.requested_limit}): give this line another. If it corrects that request, mend it in the file that report --format errors-csv writes, whose column row says which request is meant.`;
  const problems = [makeProblem(read.line, 'request_reference', null, message)];
  return { ...read, kind: 'invalid', key: '', problems };
}
