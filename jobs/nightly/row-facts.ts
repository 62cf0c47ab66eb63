import type { CheckName, FoundItem } from '../../src/ledger/nightly/checks.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { WalkedRow } from './walk-ledger.ts';

/** What an item tells of a row: never more than the company and the amount. */
export function rowFacts(row: RowId, { line, request }: Pick<RowResult, 'line' | 'request'>) {
  return { portfolio: row.portfolio, key: row.key, line, name: request.name, requested: request.limit.requested_limit };
}

/**
 * A finding about a row, without anything mended.
 *
 * @param says a sentence that is the same for all rows with this finding, so that reports can group them
 */
export function rowItem(
  check: CheckName,
  { row, result }: WalkedRow,
  says: string,
  more: Pick<FoundItem, 'granted' | 'detail' | 'sinceMs' | 'command'> = {},
): FoundItem {
  return { check, ...rowFacts(row, result), says, isMended: false, ...more };
}

/** A portfolio's name for a shell. Names have only letters, digits, `. _ -` and spaces. */
export function quoted(portfolio: string): string {
  return portfolio.includes(' ') ? `"${portfolio}"` : portfolio;
}

/** A command for one row, without `limitline`, naming the row by its line. */
export function commandFor(
  command: 'retry' | 'resolve',
  { portfolio }: Pick<RowId, 'portfolio'>,
  { line }: Pick<RowResult, 'line'>,
  options: readonly string[] = [],
): string {
  return [command, quoted(portfolio), ...options, '--line', line].join(' ');
}

/**
 * The option that names a row: by line if the row is of the last import, else by key, because imports share line numbers.
 *
 * @param lastImport number of the last import
 */
export function rowOption({ row, result }: WalkedRow, lastImport: string): string {
  return result.importId === lastImport ? `--line ${result.line}` : `--row ${row.key}`;
}

const DAY_MS = 86_400_000;

/** Age texts, the longest first, in ms. A month is 30 days. */
const AGES = [
  [365 * DAY_MS, 'for more than a year'],
  [30 * DAY_MS, 'for more than a month'],
  [7 * DAY_MS, 'for more than a week'],
  [DAY_MS, 'for more than a day'],
] as const;

/** An age as a text that many rows share. A negative age, after a clock was set back, counts as short. */
export function ageWords(ageMs: number): string {
  return AGES.find(([from]) => ageMs >= from)?.[1] ?? 'for less than a day';
}
