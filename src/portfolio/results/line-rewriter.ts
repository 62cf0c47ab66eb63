import { isKnownName } from '../columns/aliases.ts';
import { type Column, placeOf } from '../columns/column.ts';
import type { Conventions } from '../columns/known-columns.ts';
import { type CurrencyCheck, withCurrencyDoubt } from '../lines/one-currency.ts';
import { tidied, type Values } from '../lines/read-cells.ts';
import type { Line } from '../lines/row.ts';
import { parseAmount } from '../values/amounts.ts';
import { parseDate } from '../values/dates.ts';
import { markDoubtful } from '../values/doubt.ts';
import type { ValueReading } from '../values/reading.ts';

/** Copies lines into another file so that they read the same there, without the other lines or a mapping. */
export type LineRewriter = {
  header: string[];
  cells(line: Pick<Line, 'cells' | 'numbers'>): string[];
  /** An empty line in place of one with unreliable cells. It is no valid request until somebody fills it in. */
  blank(): string[];
};

/**
 * Changes as little as possible. Mapped headers get our names, the mapping's constants become columns, and amounts and
 * dates that only their column explains become unambiguous. Cells that are problems in this file are marked, so that no
 * other column can make them valid.
 *
 * @param conventions read for each line, because detection may come later.
 */
export function makeLineRewriter({
  columns,
  constants = {},
  conventions,
  currencies,
}: {
  columns: readonly Column[];
  constants?: Values | undefined;
  conventions: Readonly<Conventions>;
  currencies?: Pick<CurrencyCheck, 'conflictAt'>;
}): LineRewriter {
  const added = Object.entries(constants);
  const amountAt = placeOf(columns, 'requested_limit');
  const dateAt = placeOf(columns, 'statements_dated');
  return {
    header: [...columns.map(headerOf), ...added.map(([name]) => name)],
    cells({ cells, numbers }) {
      const own = columns.map((_column, index) => cells[index] ?? '');
      // A workbook's number has a point, whatever separator the texts of its column use.
      const decimal = numbers?.includes(amountAt) ? '.' : conventions.decimal;
      if (amountAt !== -1) own[amountAt] = plainAmount(own[amountAt] ?? '', decimal);
      const conflictAt = currencies?.conflictAt(cells) ?? -1;
      // In a file of lines with the same currency, the difference to the original file would go unnoticed.
      if (conflictAt === amountAt && amountAt !== -1) own[amountAt] = withCurrencyDoubt(cells[amountAt] ?? '');
      else if (conflictAt !== -1) own[conflictAt] = markDoubtful(cells[conflictAt] ?? '');
      if (dateAt !== -1) own[dateAt] = plainDate(own[dateAt] ?? '', conventions);
      return [...own, ...added.map(([, value]) => value)];
    },
    blank: () => [...columns.map(() => ''), ...added.map(([name, value]) => (name === 'requested_limit' ? '' : value))],
  };
}

function headerOf({ written, known, by }: Column): string {
  if (by !== 'map') return written;
  return known ?? (isKnownName(written) ? `${written} (own)` : written);
}

function plainAmount(cell: string, decimal: Conventions['decimal']): string {
  return plain(cell, {
    alone: parseAmount(tidied(cell)),
    here: parseAmount(tidied(cell), decimal),
    sure: sureAmount,
  });
}

/** A cell for another file: it must mean the same there as `here`, or be a problem. */
function plain(
  cell: string,
  { alone, here, sure }: { alone: ValueReading; here: ValueReading; sure: (value: string) => string },
): string {
  if ('problem' in alone && !alone.open) return cell;
  if ('problem' in here) return markDoubtful(cell);
  return 'problem' in alone ? sure(here.value) : cell;
}

/** `1.234` would be ambiguous again; `1.2340` is not. */
function sureAmount(value: string): string {
  return 'open' in parseAmount(value) ? `${value}0` : value;
}

/** Dates are not checked here: the reading of the line has done it. */
export const LAST_DAY = '9999-12-31';

function plainDate(cell: string, { dates }: Conventions): string {
  return plain(cell, {
    alone: parseDate(tidied(cell), { order: null, today: LAST_DAY }),
    here: parseDate(tidied(cell), { order: dates, today: LAST_DAY }),
    sure: (value) => value,
  });
}
