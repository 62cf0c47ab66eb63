import type { FaultyLine, NotedLine } from '../../src/ledger/faulty-lines.ts';
import { type Line, requestOf } from '../../src/portfolio/lines/row.ts';
import type { Problem } from '../../src/portfolio/problem.ts';

/** A line as the ledger notes it: the key of its request, of a faulty one its buyer, and what is wrong with it, if anything is. */
export function noteOf(line: Line): NotedLine {
  return { key: requestOf(line), buyer: line.kind === 'invalid' ? line.buyer : undefined, fault: faultOf(line) };
}

function faultOf(line: Line): FaultyLine | null {
  if (line.kind === 'row') return null;
  const message = line.problems.map((problem) => describe(problem)).join('; ');
  const isLong = message.length > MAX_MESSAGE_LENGTH;
  return { kind: line.kind, message: isLong ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message };
}

/** Twice what a line of our columns, all of them wrong, has to say; a line of thousands of wrong cells would drown Redis. */
const MAX_MESSAGE_LENGTH = 8_000;

/** One problem in a report's cell: the column, then what is wrong. */
function describe({ column, message }: Problem): string {
  return column === null ? message : `${column}: ${message}`;
}
