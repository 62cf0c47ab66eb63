import type { KnownColumn } from './known-columns.ts';

/** One column of a file. */
export type Column = {
  /** Its place, from 0. */
  index: number;
  /** Its name as the header writes it. */
  written: string;
  known: KnownColumn | null;
  /** Whether its cells must not be empty. */
  needed: boolean;
  /** How `known` was found: by our own name, by the mapping, or by the table of aliases. */
  by: 'name' | 'map' | 'alias' | null;
  /** What it may mean, if that is not certain. */
  guess: KnownColumn | null;
  /** The currency in its name, as written there: `EUR` of `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether its name says that its amounts are in thousands or millions. */
  thousands: boolean;
};

/** The position of one of our columns in the file, from 0; -1 when the file lacks it. */
export function placeOf(columns: readonly Pick<Column, 'known'>[], known: KnownColumn): number {
  return columns.findIndex((column) => column.known === known);
}

/**
 * Makes the test whether a record is as wide as the header. Delimiters after the last named column may be missing or too many: spreadsheets
 * write different numbers of them on different lines.
 */
export function makeFit(columns: readonly Column[]): (cells: readonly string[]) => boolean {
  // Computed once: a header may have far more blank cells than a line has cells.
  const leastWidth = columns.findLastIndex((column) => column.written !== '') + 1;
  return (cells) =>
    cells.length > columns.length
      ? cells.slice(columns.length).every((cell) => cell.trim() === '')
      : cells.length >= leastWidth;
}
