import type { ExtraField } from './extra-fields.ts';
import { COLUMNS, type KnownColumn } from './known-columns.ts';

export type Column = {
  /** The column's index, from 0. */
  index: number;
  /** The column's name as the header writes it. */
  written: string;
  known: KnownColumn | null;
  /** The field that a person mapped the column to, if the service's document does not show that field. `known` is null then. */
  extra?: ExtraField | undefined;
  /** Whether the column's cells must not be empty. */
  needed: boolean;
  /** How `known` was found: by Limitline's own name, by the mapping, or by the tables of names. */
  by: 'name' | 'map' | 'alias' | null;
  /** The known column that the name may mean, if that is not certain. */
  guess: KnownColumn | null;
  /** The currency in its name, as written: `EUR` of `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether its name says that its amounts are in thousands or millions. */
  thousands: boolean;
};

/** The index of a known column, from 0; -1 if the file lacks it. */
export function placeOf(columns: readonly Pick<Column, 'known'>[], known: KnownColumn): number {
  return columns.findIndex((column) => column.known === known);
}

/** The names of columns that are read, and that no call sends, as the header writes them. */
export function readOnlyColumns(columns: readonly Pick<Column, 'known' | 'written'>[]): string[] {
  return columns.flatMap(({ known, written }) =>
    known !== null && COLUMNS[known].isUnsent && written !== '' ? [written] : [],
  );
}

/**
 * Builds the test whether a record has as many cells as the header. Empty cells after the last named column do not
 * count: spreadsheets write varying numbers of delimiters there. A longer record must not have any others there. In a file whose lines end
 * with a delimiter, they come from a cell that was split in two, as `1,500` is.
 */
export function makeFit(columns: readonly Column[]): (cells: readonly string[]) => boolean {
  // The least width is computed once: a header may have far more empty cells than a line has cells.
  const leastWidth = columns.findLastIndex((column) => column.written !== '') + 1;
  return (cells) =>
    cells.length > columns.length
      ? cells.slice(leastWidth).every((cell) => cell.trim() === '')
      : cells.length >= leastWidth;
}
