import type { CheckName, FoundItem } from '../../src/ledger/nightly/checks.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { WalkedRow } from './walk-ledger.ts';

/** What an item says of a row, for people: never more than who it is and what it asks for. */
export function rowFacts(row: RowId, { line, request }: Pick<RowResult, 'line' | 'request'>) {
  return { portfolio: row.portfolio, key: row.key, line, name: request.name, requested: request.limit.requested_limit };
}

/**
 * What a check found of a row, where nothing is mended: what finance wants to know of is for people.
 *
 * @param says what was found, in a sentence that is the same for all rows with this finding, so that reports can group them
 */
export function rowItem(
  check: CheckName,
  { row, result }: WalkedRow,
  says: string,
  more: Pick<FoundItem, 'granted' | 'detail' | 'sinceMs' | 'command'> = {},
): FoundItem {
  return { check, ...rowFacts(row, result), says, isMended: false, ...more };
}

/** A portfolio's name as a shell takes it: it has letters, digits, and of all other signs `. _ -` and spaces. */
export function quoted(portfolio: string): string {
  return portfolio.includes(' ') ? `"${portfolio}"` : portfolio;
}

/** A command that a person would give for one row, without `limitline`: by its line, which people know. */
export function commandFor(
  command: 'retry' | 'resolve',
  { portfolio }: Pick<RowId, 'portfolio'>,
  { line }: Pick<RowResult, 'line'>,
  options: readonly string[] = [],
): string {
  return [command, quoted(portfolio), ...options, '--line', line].join(' ');
}

/**
 * How a command names a row: by its line, where that is one of the portfolio's last import; else by its key, since lines of several
 * imports bear the same number.
 *
 * @param lastImport number of the last import
 */
export function rowOption({ row, result }: WalkedRow, lastImport: string): string {
  return result.importId === lastImport ? `--line ${result.line}` : `--row ${row.key}`;
}

const DAY_MS = 86_400_000;

/** How long something lasts, from which age on, the longest first; a month is 30 days here. */
const AGES = [
  [365 * DAY_MS, 'for more than a year'],
  [30 * DAY_MS, 'for more than a month'],
  [7 * DAY_MS, 'for more than a week'],
  [DAY_MS, 'for more than a day'],
] as const;

/** How long something lasts, in a few words that many rows share; pure. A clock that went back makes nothing older. */
export function ageWords(ageMs: number): string {
  return AGES.find(([from]) => ageMs >= from)?.[1] ?? 'for less than a day';
}
