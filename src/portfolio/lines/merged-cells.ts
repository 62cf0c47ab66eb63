import type { Table } from '../../table/table.ts';
import type { Column } from '../columns/column.ts';
import { makeProblem, type Problem, WHOLE_FILE } from '../problem.ts';

/**
 * A warning about cells that are merged over several lines in a column that is read: a sheet shows their value on all of these lines, but
 * the file has it on the first alone. To be called after all lines.
 */
export function mergedCells({ header, merged = [] }: Table, columns: readonly Column[]): Problem[] {
  const below = merged.filter(({ line }) => line > (header?.line ?? 1));
  for (const { name, columns: over } of below) {
    const column = columns.find(({ index, known }) => known !== null && index >= over[0] && index <= over[1]);
    if (column) return [makeProblem(WHOLE_FILE, column.written, name, MERGED)];
  }
  return [];
}

const MERGED =
  'Cells are merged over several lines. The sheet shows one value for all of them, but only the first line has it, and an empty cell of the others counts as empty. Unmerge the cells, and fill in each line.';
