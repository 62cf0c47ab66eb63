import { harmless } from './formulas.ts';

/** What makes a cell need quotation marks in a table separated by commas (RFC 4180, section 2); csv-stringify quotes the same. */
const QUOTED = /[",\r\n]/;

/**
 * One line of a plain table (RFC 4180), made harmless for spreadsheets, with its line break: for tables of our own of a million
 * lines, which csv-stringify takes ten times as long for.
 */
export function plainTableLine(cells: readonly (string | number)[]): string {
  let line = '';
  for (const [place, cell] of cells.entries()) {
    if (place > 0) line += ',';
    line += typeof cell === 'number' ? cell : quoted(harmless(cell));
  }
  return `${line}\r\n`;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
