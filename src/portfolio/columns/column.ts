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
  /** How `known` was told: by our own name, by the mapping file, or by the table of aliases. */
  by: 'name' | 'map' | 'alias' | null;
  /** What it may be meant as, where that is not certain. */
  guess: KnownColumn | null;
  /** The currency that its name says, as written there: `EUR` of `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether its name says that its amounts are in thousands or millions. */
  thousands: boolean;
};

/** The place of the column that is this one of ours, from 0; -1 where the file has none. */
export function placeOf(columns: readonly Pick<Column, 'known'>[], known: KnownColumn): number {
  return columns.findIndex((column) => column.known === known);
}

/**
 * Makes the test whether a record is as wide as the header, but for delimiters behind the last column that has a name:
 * spreadsheets write them there, on some lines more of them than on others.
 */
export function makeFit(columns: readonly Column[]): (cells: readonly string[]) => boolean {
  // Found once: a header may have far more blank cells than a line has cells.
  const leastWidth = columns.findLastIndex((column) => column.written !== '') + 1;
  return (cells) =>
    cells.length > columns.length
      ? cells.slice(columns.length).every((cell) => cell.trim() === '')
      : cells.length >= leastWidth;
}
