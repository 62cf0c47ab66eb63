import type { Delimiter } from '../../table/dialect.ts';
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
 * Builds the test whether a record has as many cells as the header. Empty cells behind the last named column do not count: spreadsheets write
 * varying numbers of delimiters there. Filled ones do not fit in two cases: the record is longer than the header, or its amount reads like a
 * part of one. A comma that splits `1,500` moves the last cell there, if the header ends with a delimiter.
 */
export function makeFit(columns: readonly Column[], delimiter: Delimiter): (cells: readonly string[]) => boolean {
  // The least width is computed once: a header may have far more empty cells than a line has cells.
  const leastWidth = namedWidth(columns);
  const amountAt = placeOf(columns, 'requested_limit');
  return (cells) => {
    if (cells.length <= leastWidth) return cells.length === leastWidth;
    if (cells.slice(leastWidth).every((cell) => cell.trim() === '')) return true;
    return cells.length <= columns.length && !(delimiter === ',' && amountAt >= 0 && isSplit(cells.slice(amountAt)));
  };
}

/** The number of columns up to the last one that has a name. */
export function namedWidth(columns: readonly Pick<Column, 'written'>[]): number {
  return columns.findLastIndex(({ written }) => written !== '') + 1;
}

/** Whether cells begin like the parts of an amount that its commas split: `1` and `500.00 EUR`, or as in India `1`, `50` and `000`. */
function isSplit([amount = '', next = '', third = '']: readonly string[]): boolean {
  return (
    SPLIT.test(`${amount.trim()},${next.trim()}`) ||
    SPLIT_IN_INDIA.test([amount, next, third].map((one) => one.trim()).join())
  );
}

const SPLIT = /^\D*\d{1,3},\d{3}(?:[.,]\d*)?\s*(?:\p{Sc}|[A-Z]{3})?$/u;
const SPLIT_IN_INDIA = /^\D*\d{1,2},\d\d,\d{3}(?!\d)/;
