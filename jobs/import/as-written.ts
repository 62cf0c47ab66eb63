import type { Column } from '../../src/portfolio/columns/column.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';

/**
 * Makes a function that lets problems and warnings of a line name columns as the header writes them, and cells as they were typed. What the
 * ledger says of a line knows only Limitline's own names. A name that the file gives to another column stays.
 */
export function makeAsWritten(columns: readonly Column[]): (line: Line) => void {
  const headers = new Set(columns.map(({ written }) => written));
  const named = new Map(
    columns.flatMap((column) => {
      const { known, written } = column;
      return known && (written === known || !headers.has(known)) ? [[known as string, column] as const] : [];
    }),
  );
  return (line) => {
    const said = (problem: Problem) => {
      const column = named.get(problem.column ?? '');
      if (!column) return problem;
      const cell = problem.value === null ? null : line.cells[column.index]?.trim() || problem.value;
      return makeProblem(problem.line, column.written, cell, problem.message);
    };
    if (line.kind === 'row') line.warnings = line.warnings.map(said);
    else line.problems = line.problems.map(said);
  };
}
