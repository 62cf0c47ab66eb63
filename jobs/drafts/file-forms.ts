import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { formOf, type ReadOptions } from '../../src/portfolio/read-options.ts';

/** The forms under which read options of a file may be kept, all as the file is read without options. */
export type FileForms = {
  /** The form by the header that was found; null if the file needs options to be read. */
  found: string | null;
  /** The forms by the other lines that may be the header, such as the line below a title. */
  byLine: ReadonlyMap<number, string>;
  /** The sheet that is read; undefined for a text. */
  sheet: string | undefined;
};

/** @param opened the file, opened without options */
export function formsOf(given: Pick<Opened, 'header' | 'columns' | 'headerLine' | 'first' | 'dialect'>): FileForms {
  const { header, columns, headerLine, first, dialect } = given;
  const others = columns.length === 0 ? [] : first.filter(({ line }) => line !== headerLine);
  return {
    found: columns.length === 0 ? null : formOf(header),
    byLine: new Map(others.map(({ line, cells }) => [line, formOf(namesOf(cells))])),
    sheet: dialect.sheet,
  };
}

/** The form of a file that is read with these options: by the line that they name as the header, else by the header that was found. */
export function formAsRead({ found, byLine, sheet }: FileForms, reading: ReadOptions): string | null {
  const isSameSheet = reading.sheet === undefined || reading.sheet === sheet;
  return (isSameSheet ? byLine.get(reading.headerLine ?? 0) : undefined) ?? found;
}

/** The names in a line. Rows of one sheet have different numbers of empty cells at their ends. */
function namesOf(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.toWellFormed().trim());
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}
