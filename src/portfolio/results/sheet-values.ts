import type { CellKind } from '../../table/xlsx/cell-xml.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { tidied } from '../lines/read-cells.ts';
import type { Line } from '../lines/row.ts';
import { parseAmount } from '../values/amounts.ts';
import { parseDate } from '../values/dates.ts';
import { LAST_DAY, type LineRewriter } from './line-rewriter.ts';

/** A line's cells, as a workbook shows them. */
export type SheetValues = {
  /** The line's cells. Amounts and dates are in plain form if they can be read; other cells stay as written. */
  cells(line: Line): string[];
};

/** Amounts and dates are recognized by their columns. An ambiguous one stays text. */
export function makeSheetValues({ columns, rewriter }: Parts): SheetValues {
  const amountAt = placeOf(columns, 'requested_limit');
  const dayAt = placeOf(columns, 'statements_dated');
  return {
    cells(line) {
      const own = [...rewriter.cells(line)];
      const amount = parseAmount(tidied(own[amountAt] ?? ''));
      if ('value' in amount) own[amountAt] = amount.value;
      const day = parseDate(tidied(own[dayAt] ?? ''), { order: null, today: LAST_DAY });
      if ('value' in day) own[dayAt] = day.value;
      return own;
    },
  };
}

/** The type of a column by its name, both for the files' own and for the added ones. */
export function sheetKinds(files: readonly Parts[]): (name: string | undefined) => CellKind {
  const kinds = new Map<string, CellKind>(Object.entries(ADDED));
  for (const { columns, rewriter } of files) {
    for (const [at, { written, known }] of columns.entries()) {
      const kind = known === 'requested_limit' ? 'amount' : known === 'statements_dated' ? 'day' : undefined;
      if (kind) for (const name of [written, rewriter.header[at] ?? written]) kinds.set(name, kind);
    }
  }
  return (name = '') => kinds.get(name) ?? 'text';
}

type Parts = { columns: readonly Column[]; rewriter: LineRewriter };

/** Result columns that are no text, and columns of rows whose file is gone. */
const ADDED: Record<string, CellKind> = {
  line: 'count',
  total_limit: 'amount',
  available_limit: 'amount',
  updated: 'moment',
  requested_limit: 'amount',
  statements_dated: 'day',
};
