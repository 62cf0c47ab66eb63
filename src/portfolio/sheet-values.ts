import { parseAmount } from './amounts.ts';
import type { Column } from './columns.ts';
import { parseDate } from './dates.ts';
import { tidied } from './read-cells.ts';
import type { Line } from './row.ts';
import { LAST_DAY, type Standalone } from './standalone.ts';
import type { CellKind } from './xlsx/cell-xml.ts';

/** A file's own columns, as a workbook is to show them. */
export type SheetValues = {
  /** The line's own cells: its amount and its day in plain form where they can be read, all else as it is written. */
  cells(line: Line): string[];
  /** What a column of this name holds, of the file's own and of those that we add. */
  kindOf(name: string | undefined): CellKind;
};

/** Amounts and days are told from the column that they stand in; what nobody can read for sure stays the text that it is. */
export function makeSheetValues({
  columns,
  standalone,
}: {
  columns: readonly Column[];
  standalone: Standalone;
}): SheetValues {
  const amountAt = columns.findIndex(({ known }) => known === 'requested_limit');
  const dayAt = columns.findIndex(({ known }) => known === 'statements_dated');
  const kinds = new Map<string, CellKind>([
    ...Object.entries(ADDED),
    ...namesOf(amountAt, 'amount'),
    ...namesOf(dayAt, 'day'),
  ]);

  function namesOf(at: number, kind: CellKind): [string, CellKind][] {
    return [columns[at]?.written, standalone.header[at]].flatMap((name) => (name === undefined ? [] : [[name, kind]]));
  }

  return {
    cells(line) {
      const own = [...standalone.cells(line)];
      const amount = parseAmount(tidied(own[amountAt] ?? ''));
      if ('value' in amount) own[amountAt] = amount.value;
      const day = parseDate(tidied(own[dayAt] ?? ''), { order: null, today: LAST_DAY });
      if ('value' in day) own[dayAt] = day.value;
      return own;
    },
    kindOf: (name = '') => kinds.get(name) ?? 'text',
  };
}

/** The columns of results that are no texts. */
const ADDED: Record<string, CellKind> = { total_limit: 'amount', available_limit: 'amount', updated: 'moment' };
