import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { type Currency, common, currencyOf } from '../values/currencies.ts';
import { aliasOf } from './aliases.ts';
import type { Column } from './column.ts';

/**
 * The problem that a column of unknown meaning holds several currencies, and none is known to hold that of the amounts: the amounts would be
 * requested as if they were in one.
 *
 * @param records the first lines of the file
 */
export function doubtsOfCurrencies(line: number, columns: readonly Column[], records: readonly RawRecord[]): Problem[] {
  if (records.length === 0) return [];
  const taken = columns.find(({ known }) => known === 'currency');
  if (taken) return otherThan(taken, { line, columns, records });
  for (const { index, written, known, extra, by } of columns) {
    if (written === '' || known !== null || extra !== undefined || by !== null) continue;
    const two = differing(records.map(({ cells }) => (cells[index] ?? '').trim()).filter((cell) => cell !== ''));
    if (two === null) continue;
    const message = `This column holds several currencies, such as ${two.join(' and ')}. If they are those of the amounts, say --map "${written}=currency"; if they are not, say --map "${written}=".`;
    return [makeProblem(line, written, null, message)];
  }
  return [];
}

/** The columns that are called the currency of the amounts too, beside the one that is taken for it. None if a person named that one. */
export function currenciesBeside(columns: readonly Column[]): Column[] {
  const taken = columns.find(({ known }) => known === 'currency');
  if (!taken || taken.by === 'map') return [];
  const isUnsaid = ({ known, extra, by }: Column) => known === null && extra === undefined && by === null;
  return columns.filter((column) => isUnsaid(column) && aliasOf(column.written) === 'currency');
}

/** The problem that another column is called the currency of the amounts too, and a line has another currency in it. */
function otherThan(
  taken: Column,
  { line, columns, records }: { line: number; columns: readonly Column[]; records: readonly RawRecord[] },
): Problem[] {
  for (const { index, written } of currenciesBeside(columns)) {
    const isOther = ({ cells }: RawRecord) => {
      const [one, other] = [currencyOf((cells[taken.index] ?? '').trim()), currencyOf((cells[index] ?? '').trim())];
      return one !== null && other !== null && common(one, other) === null;
    };
    const place = records.find(isOther)?.line;
    if (place === undefined) continue;
    const message = `${taken.written} and ${written} name different currencies, in line ${place} first. If that of the amounts is in ${taken.written}, say --map "${written}="; if it is in ${written}, say --map "${written}=currency" --map "${taken.written}=".`;
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
