import type { Column } from '../columns/column.ts';
import { earlierProblemOf, errorColumnsOf, isErrorsHeader } from '../columns/result-columns.ts';
import { makeProblem, type Problem } from '../problem.ts';

/** A line that was read. */
type Draft = { record: { line: number; cells: readonly string[] }; problems: Problem[] };

/**
 * Makes a function that lets a line of an errors file whose cells nobody filled in say why it is in that file. That its cells are empty is no
 * reason.
 */
export function makeUnfilledLines(columns: readonly Column[]): (line: Draft) => void {
  const header = columns.map(({ written }) => written);
  if (!isErrorsHeader(header)) return () => {};
  const [added, earlierProblem] = [errorColumnsOf(header), earlierProblemOf(header)];
  return (line) => {
    const { record, problems } = line;
    const isUnfilled = record.cells.every((cell, at) => added.has(at) || cell.trim() === '');
    const reason = isUnfilled && problems.length > 0 ? earlierProblem(record.cells) : '';
    if (reason !== '') line.problems = [makeProblem(record.line, null, null, reason)];
  };
}
