import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { LimitlineError } from '../../errors.ts';
import { bookParts, DECLARATION, MAIN, SHEET } from './book-parts.ts';
import { cellName } from './cell-names.ts';
import { type CellKind, cellXml } from './cell-xml.ts';
import { LIMITS } from './limits.ts';

/**
 * Writes a workbook with one sheet (ECMA-376, part 1), record by record. The first record is the header: it is bold, and
 * stays in place while one scrolls. Texts are written as texts, so that nothing in them is run as a formula; amounts, days and
 * moments of the columns that are said to have such are numbers with a format.
 *
 * @param kindOf what the cells of a column are, by its name in the header; one that is written otherwise stays the text that it is.
 * @throws LimitlineError `FILE` when there are more records than a sheet of Excel's has rows
 */
export async function writeSheet(
  records: AsyncIterable<readonly string[]>,
  to: Writable,
  { name, kindOf }: { name: string; kindOf(name: string | undefined): CellKind },
): Promise<void> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(bookParts(name)))
    zip.addBuffer(Buffer.from(DECLARATION + content), path);
  const sheet = Readable.from(sheetXml(records, kindOf));
  // A fault while the records are read must end the file as well, and not leave it waiting.
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  zip.addReadStream(sheet, SHEET);
  zip.end();
  await pipeline(zip.outputStream, to);
}

/** Larger pieces make fewer trips through the compressor. */
const PIECE_LENGTH = 64 * 1024;

/** Columns are as wide as what is in these first records: all others would have to be waited for. */
const MEASURED = 200;

async function* sheetXml(records: AsyncIterable<readonly string[]>, kindOf: (name: string | undefined) => CellKind) {
  const first: (readonly string[])[] = [];
  let piece = '';
  let line = 0;
  let kinds: CellKind[] = [];
  const add = (cells: readonly string[]): void => {
    line += 1;
    if (line > LIMITS.rows) throw tooLong();
    const cellOf = (cell: string, at: number) => cellXml(cellName(at, line), cell, kinds[at] ?? 'text');
    piece += `<row r="${line}">${cells.map(cellOf).join('')}</row>`;
    if (line === 1) kinds = cells.map(kindOf);
  };
  const begin = (): void => {
    kinds = (first[0] ?? []).map(() => 'header');
    piece = `${DECLARATION}<worksheet xmlns="${MAIN}">${STILL_HEADER}${widthsXml(first)}<sheetData>`;
    first.forEach(add);
  };
  for await (const cells of records) {
    if (line === 0 && first.push(cells) < MEASURED) continue;
    if (line === 0) begin();
    else add(cells);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (line === 0) begin();
  yield `${piece}</sheetData></worksheet>`;
}

/** The first row is a pane of its own that does not move. */
const STILL_HEADER =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>';

/** In characters of the sheet's own letters, as Excel counts widths: narrower is hard to grasp, wider hides the neighbours. */
const [NARROWEST, WIDEST] = [8, 60];

function widthsXml(records: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of records) {
    for (const [at, cell] of cells.entries())
      widths[at] = Math.max(widths[at] ?? NARROWEST, Math.min(cell.length, WIDEST));
  }
  if (widths.length === 0) return '';
  // Two more for the margins of a cell and for signs that are wider than others.
  const columns = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width + 2}" customWidth="1"/>`,
  );
  return `<cols>${columns.join('')}</cols>`;
}

function tooLong(): LimitlineError {
  const rows = LIMITS.rows.toLocaleString('en');
  return new LimitlineError(
    'FILE',
    `An Excel sheet has at most ${rows} rows, and there are more lines: use --format csv.`,
  );
}
