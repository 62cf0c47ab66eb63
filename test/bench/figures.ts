/** A figure measured several times. */
type Spread = { median: number; min: number; max: number };

/**
 * The median, the smallest and the largest of some measurements; of an even number of them, the median is the mean of
 * the middle two.
 *
 * @throws RangeError for none at all
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) throw new RangeError('There is no median of no values.');
  const upper = sorted[sorted.length >> 1] ?? max;
  const lower = sorted[(sorted.length - 1) >> 1] ?? min;
  return { median: (lower + upper) / 2, min, max };
}

/**
 * One contender's figures divided by another's, round by round: a disturbance of the machine in a round affects both. Rounds that only one
 * of them has are left out.
 */
export function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.slice(0, theirs.length).map((value, round) => value / (theirs[round] ?? Number.NaN));
}

/** `1,234 (1,200–1,300)`, or the one figure where all measurements agree at that many digits. */
export function spreadText({ median, min, max }: Spread, digits = 0): string {
  const [middle, lowest, highest] = [median, min, max].map((value) => numberText(value, digits));
  return lowest === highest ? `${middle}` : `${middle} (${lowest}–${highest})`;
}

/** A number with commas between thousands and exactly so many digits after the decimal point. */
export function numberText(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A table in Markdown, its columns padded so that it can be read as text too: the first to the left, the others, which
 * hold figures, to the right.
 *
 * @param rows each with as many cells as the header; missing ones are empty
 */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [header, ...rows].map((row) => header.map((_, column) => escapeCell(row[column] ?? '')));
  const widths = header.map((_, column) => Math.max(MIN_WIDTH, ...table.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const padded = table.map((row) => line(row.map((text, column) => pad(text, widths[column] ?? 0, column))));
  const rule = line(widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)));
  return [padded[0], rule, ...padded.slice(1)].join('\n');
}

/** The least width of a column: `--:` is the shortest rule below a head that every reader of Markdown takes for one. */
const MIN_WIDTH = 3;

function pad(text: string, width: number, column: number): string {
  const blanks = ' '.repeat(width - widthOf(text));
  return column === 0 ? text + blanks : blanks + text;
}

/** The number of characters, in code points and not in UTF-16 units. */
const widthOf = (text: string): number => [...text].length;

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
