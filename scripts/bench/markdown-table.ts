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

/** `--:`, the shortest rule that every reader of Markdown takes for one. */
const MIN_WIDTH = 3;

function pad(text: string, width: number, column: number): string {
  const blanks = ' '.repeat(width - widthOf(text));
  return column === 0 ? text + blanks : blanks + text;
}

/** Characters as people count them. */
function widthOf(text: string): number {
  return [...text].length;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
