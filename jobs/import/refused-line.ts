import type { RowRequest } from '../../src/ledger/schema/row.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import type { RowLine } from './decide-line.ts';

/** Turns a sound line into an invalid one, for a problem found after reading. */
export function refusedLine({ row, warnings: _warnings, ...read }: RowLine, problem: Problem): Line {
  return { ...read, kind: 'invalid', key: row.key, buyer: row.buyer, problems: [problem] };
}

/** The problem of a line that differs from its request, which was sent already. A sent request is never changed. */
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

/** Refuses a line whose request_reference belongs to another buyer. It counts as no row's line. */
export function otherBuyersLine(
  { row: _row, warnings: _warnings, ...read }: RowLine,
  known: RowRequest & { line?: number },
): Line {
  const where = known.line === undefined ? '' : `line ${known.line}, `;
  const message = `This request_reference already belongs to another buyer's request, ${where}"${known.name}" (${known.limit.requested_limit}): give this line another. If it corrects that request, mend it in the file that report --format errors-csv writes, whose column row says which request is meant.`;
  const problems = [makeProblem(read.line, 'request_reference', null, message)];
  return { ...read, kind: 'invalid', key: '', problems };
}
