import type { RowResult } from '../../../src/ledger/row.ts';
import type { RowId } from '../../../src/ledger/row-id.ts';

/** A command that a person would give for one row, without `limitline`: by its line, which people know. */
export function commandFor(
  command: 'retry' | 'resolve',
  { portfolio }: Pick<RowId, 'portfolio'>,
  { line }: Pick<RowResult, 'line'>,
  options: readonly string[] = [],
): string {
  return [command, quoted(portfolio), ...options, '--line', line].join(' ');
}

/** A portfolio's name as a shell takes it: it has letters, digits, and of all other signs `. _ -` and spaces. */
export function quoted(portfolio: string): string {
  return portfolio.includes(' ') ? `"${portfolio}"` : portfolio;
}
