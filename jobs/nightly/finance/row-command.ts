import type { WalkedRow } from '../row-check.ts';

/** A portfolio's name as a word of a command: it has letters, digits, dots, hyphens, underscores and spaces, and nothing else. */
export function nameWord(portfolio: string): string {
  return portfolio.includes(' ') ? `"${portfolio}"` : portfolio;
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
