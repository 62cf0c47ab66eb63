import type { ChangedByHand, UnderstoodFile } from '../../src/ledger/approvals/approval-look.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { MendedCell, PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { visible } from '../../src/portfolio/problem.ts';

/**
 * The values that people changed by hand in an upload before this import, and the lines that they left out. Undefined where nobody changed
 * any, or the upload was removed since.
 */
export function changedByHand(
  { id, made }: KnownImport,
  columns: UnderstoodFile['columns'],
  drafts: readonly PortfolioDraft[],
): ChangedByHand | undefined {
  if (made === undefined) return undefined;
  for (const { submitted, versions } of drafts) {
    const imported = versions.find(({ number }) => number === submitted?.version);
    if (imported?.sha256 !== id) continue;
    const meanings = new Map(columns.map(({ written, known }) => [written, known ?? null]));
    const cells = cellsUntil(imported.number, versions).filter(({ line }) => !imported.leftOut.includes(line));
    return {
      leftOut: imported.leftOut,
      values: cells.map(({ line, column, before, after }) => {
        const of = { column: column && visible(column), meaning: meanings.get(visible(column ?? '')) ?? null };
        return { line, before: { ...of, cell: before }, now: { ...of, cell: after } };
      }),
    };
  }
  return undefined;
}

/** The cells by which a version differs from the upload, by line. Of a cell that was changed twice, the first text and the last one count. */
function cellsUntil(number: number, versions: PortfolioDraft['versions']): MendedCell[] {
  const version = versions.find((one) => one.number === number);
  if (version === undefined || number === 1) return [];
  if (version.backTo !== undefined) return cellsUntil(version.backTo, versions);
  const cells = new Map(cellsUntil(number - 1, versions).map((cell) => [placeOf(cell), cell]));
  for (const cell of version.cells) {
    const before = cells.get(placeOf(cell))?.before ?? cell.before;
    cells.set(placeOf(cell), { ...cell, before });
  }
  return [...cells.values()]
    .filter(({ before, after }) => before !== after)
    .sort((one, other) => one.line - other.line);
}

const placeOf = ({ line, column }: MendedCell): string => `${line}\n${column ?? ''}`;
