import { readLines } from './cells.ts';
import { isKnownName } from './columns.ts';
import { DELIMITERS, type Delimiter } from './dialect.ts';
import { LINE_BREAK } from './physical-lines.ts';

/** Excel's own way of saying it, in a first line of its own. */
const SEP_LINE = /^"?sep=([,;\t|])"? *$/i;

/** The delimiter that a `sep=;` line names, or null for any other line. */
export function sepLineOf(line: string): Delimiter | null {
  const sign = SEP_LINE.exec(line)?.[1];
  return DELIMITERS.find((one) => one === sign) ?? null;
}

/**
 * Finds what cuts the cells: the sign by which the most columns of the header are known; else the one that cuts most
 * lines as it cuts the header; a comma where none does.
 *
 * @param start the beginning of the file, from the header on.
 */
export function detectDelimiter(start: string): Delimiter {
  const lines = start
    .slice(0, LOOKED_AT)
    .split(LINE_BREAK)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  const scored = DELIMITERS.map((delimiter) => {
    const [names = [], ...below] = readLines(lines, delimiter).map(({ cells }) => cells);
    const known = names.filter(isKnownName).length;
    const alike = below.filter((cells) => cells.length === names.length).length;
    return { delimiter, known, cuts: names.length > 1, alike, width: names.length };
  }).filter(({ cuts }) => cuts);
  scored.sort((a, b) => b.known - a.known || b.alike - a.alike || b.width - a.width);
  return scored[0]?.delimiter ?? ',';
}

/** Enough for the header and some lines; a header of a million columns is not gone through four times. */
const LOOKED_AT = 32 * 1024;
const SAMPLE_LINES = 20;
