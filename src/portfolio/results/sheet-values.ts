import type { CellKind } from '../../table/xlsx/cell-xml.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { tidied } from '../lines/read-cells.ts';
import type { Line } from '../lines/row.ts';
import { parseAmount } from '../values/amounts.ts';
import { parseDate } from '../values/dates.ts';
import { LAST_DAY, type LineRewriter } from './line-rewriter.ts';

/** The cells of a file's lines, as a workbook is to show them. */
export type SheetValues = {
  /** The line's own cells: its amount and its day in plain form where they can be read, all else as it is written. */
  cells(line: Line): string[];
};

/** Amounts and days are told from the column that they stand in; what nobody can read for sure stays the text that it is. */
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

/** What a column of this name holds, of the files' own and of those that we add. */
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

/** The columns of results that are no texts, and those of rows whose file is gone. */
const ADDED: Record<string, CellKind> = {
  line: 'count',
  total_limit: 'amount',
  available_limit: 'amount',
  updated: 'moment',
  requested_limit: 'amount',
  statements_dated: 'day',
};
