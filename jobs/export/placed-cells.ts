import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { mergeColumns, type OwnColumns } from '../../src/portfolio/results/merged-columns.ts';
import type { ImportFile } from './export-lines.ts';
import { LEDGER_COLUMNS } from './ledger-cells.ts';
import type { Files } from './table.ts';

/**
 * Brings the columns of all files into one header, and each file's cells where they belong in it.
 *
 * @param columnsOf which columns of a file are written, and under which names
 */
export function makePlacedCells(files: Files, columnsOf: (opened: Opened) => OwnColumns) {
  const known = { names: LEDGER_COLUMNS, places: LEDGER_COLUMNS.map((_name, place) => place) };
  const columns = [...files.values()].map((opened) => (opened ? columnsOf(opened) : known));
  const { header, columnsOf: inTable } = mergeColumns(columns.map(({ names }) => names));
  const placed = new Map([...files.keys()].map((file, at) => [file, { own: columns[at], at: inTable[at] ?? [] }]));
  return {
    header,

    /** A line's cells where they belong; those of the ledger by their names, where the line cannot be read. */
    cells(file: ImportFile, cells: readonly string[] | undefined, fromLedger: readonly string[]): string[] {
      if (!cells) return cellsByName(header, fromLedger);
      const written = header.map(() => '');
      const { own, at } = placed.get(file) ?? { own: undefined, at: [] };
      for (const [place, from] of (own?.places ?? []).entries()) written[at[place] ?? -1] = cells[from] ?? '';
      return written;
    },
  };
}

function cellsByName(header: readonly string[], fromLedger: readonly string[]): string[] {
  const written = header.map(() => '');
  for (const [place, name] of LEDGER_COLUMNS.entries()) {
    const column = header.indexOf(name);
    if (column !== -1) written[column] = fromLedger[place] ?? '';
  }
  return written;
}
