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

/** Rewrites lines of a file so that they are read alike in a file of their own, without the other lines or a mapping. */
export type LineRewriter = {
  header: string[];
  cells(line: Pick<Line, 'cells' | 'numbers'>): string[];
  /** In place of a line whose cells cannot be told: nothing that could be requested until somebody fills it in. */
  blank(): string[];
};

/**
 * Changes as little as it can: headers that only a mapping explains get our names, what the mapping gives for every line
 * becomes a column, and amounts and days that only their column explains are written plainly. What their column, or what
 * was said of it, leaves a problem is marked, so that no other column makes it good. All else stays.
 *
 * @param conventions looked at for each line, since it may become known on the way.
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
      // A number of a sheet has a point, whatever its column's texts have.
      const decimal = numbers?.includes(amountAt) ? '.' : conventions.decimal;
      if (amountAt !== -1) own[amountAt] = plainAmount(own[amountAt] ?? '', decimal);
      const conflictAt = currencies?.conflictAt(cells) ?? -1;
      // Among lines of its own currency alone, nothing would tell that it is another than the file's.
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

/** A cell as it is written where it stands alone: what it means `here` must be what it means there, or nothing. */
function plain(
  cell: string,
  { alone, here, sure }: { alone: ValueReading; here: ValueReading; sure: (value: string) => string },
): string {
  if ('problem' in alone && !alone.open) return cell;
  if ('problem' in here) return markDoubtful(cell);
  return 'problem' in alone ? sure(here.value) : cell;
}

/** `1.234` could be a thousand again; `1.2340` could not. */
function sureAmount(value: string): string {
  return 'open' in parseAmount(value) ? `${value}0` : value;
}

/** No day is too late here: whether it is one that may be was told when the line was read. */
export const LAST_DAY = '9999-12-31';

function plainDate(cell: string, { dates }: Conventions): string {
  return plain(cell, {
    alone: parseDate(tidied(cell), { order: null, today: LAST_DAY }),
    here: parseDate(tidied(cell), { order: dates, today: LAST_DAY }),
    sure: (value) => value,
  });
}
