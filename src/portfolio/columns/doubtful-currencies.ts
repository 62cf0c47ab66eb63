import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { type Currency, common, currencyOf } from '../values/currencies.ts';
import { type Column, placeOf } from './column.ts';

/**
 * The problem that a column of unknown meaning holds several currencies, and none is known to hold that of the amounts: the amounts would be
 * requested as if they were in one.
 *
 * @param records the first lines of the file
 */
export function doubtsOfCurrencies(line: number, columns: readonly Column[], records: readonly RawRecord[]): Problem[] {
  if (records.length === 0 || placeOf(columns, 'currency') !== -1) return [];
  for (const { index, written, known, extra, by } of columns) {
    if (written === '' || known !== null || extra !== undefined || by !== null) continue;
    const two = differing(records.map(({ cells }) => (cells[index] ?? '').trim()).filter((cell) => cell !== ''));
    if (two === null) continue;
    const message = `This column holds several currencies, such as ${two.join(' and ')}. If they are those of the amounts, say --map "${written}=currency"; if they are not, say --map "${written}=".`;
    return [makeProblem(line, written, null, message)];
  }
  return [];
}

/** Two cells with different currencies; null if a cell is no currency, or if all may be the same. */
function differing(cells: readonly string[]): [string, string] | null {
  let first: { cell: string; currency: Currency } | undefined;
  let other: string | undefined;
  for (const cell of cells) {
    const currency = currencyOf(cell);
    if (currency === null) return null;
    first ??= { cell, currency };
    if (common(first.currency, currency) === null) other ??= cell;
  }
  return first && other !== undefined ? [first.cell, other] : null;
}
