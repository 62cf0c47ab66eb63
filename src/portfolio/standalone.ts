import { parseAmount } from './amounts.ts';
import { type Column, isKnownName } from './columns.ts';
import type { Conventions } from './conventions.ts';
import { parseDate } from './dates.ts';
import type { Values } from './read-cells.ts';

/** Lines of a file, written so that they are read alike in a file of their own, without its other lines or a mapping. */
export type Standalone = { header: string[]; cells(cells: readonly string[]): string[] };

/**
 * Changes as little as it can: headers that only a mapping explains get our names, what the mapping gives for every line
 * becomes a column, and amounts and days that only their column explains are written plainly. All else stays.
 *
 * @param conventions looked at for each line, since it may become known on the way.
 */
export function makeStandalone({
  columns,
  constants = {},
  conventions,
}: {
  columns: readonly Column[];
  constants?: Values | undefined;
  conventions: Readonly<Conventions>;
}): Standalone {
  const added = Object.entries(constants);
  const amountAt = columns.findIndex((column) => column.known === 'requested_limit');
  const dateAt = columns.findIndex((column) => column.known === 'statements_dated');
  return {
    header: [...columns.map(headerOf), ...added.map(([name]) => name)],
    cells(cells) {
      const own = columns.map((_column, index) => cells[index] ?? '');
      if (amountAt !== -1) own[amountAt] = plainAmount(own[amountAt] ?? '', conventions);
      if (dateAt !== -1) own[dateAt] = plainDate(own[dateAt] ?? '', conventions);
      return [...own, ...added.map(([, value]) => value)];
    },
  };
}

function headerOf({ written, known, by }: Column): string {
  if (by !== 'map') return written;
  return known ?? (isKnownName(written) ? `${written} (own)` : written);
}

function plainAmount(cell: string, { decimal }: Conventions): string {
  const alone = parseAmount(cell.trim());
  if (!('open' in alone) || decimal === null) return cell;
  const reading = parseAmount(cell.trim(), decimal);
  return 'value' in reading ? sureAmount(reading.value) : cell;
}

/** `1.234` could be a thousand again; `1.2340` could not. */
export function sureAmount(value: string): string {
  return 'open' in parseAmount(value) ? `${value}0` : value;
}

/** No day is too late here: whether it is one that may be was told when the line was read. */
const LAST_DAY = '9999-12-31';

function plainDate(cell: string, { dates }: Conventions): string {
  const alone = parseDate(cell.trim(), { order: null, today: LAST_DAY });
  if (!('open' in alone) || dates === null) return cell;
  const reading = parseDate(cell.trim(), { order: dates, today: LAST_DAY });
  return 'value' in reading ? reading.value : cell;
}
