import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { LimitlineError } from '../../errors.ts';
import { bookParts, DECLARATION, MAIN, SHEET } from './book-parts.ts';
import { type CellKind, cellName, cellXml } from './cell-xml.ts';
import { LIMITS } from './parse-xml.ts';

/**
 * Writes a workbook with one sheet (ECMA-376, part 1), record by record. The first record is the header, bold and frozen. Texts stay texts,
 * so that none runs as a formula. Amounts, days and moments become formatted numbers in the columns of that type.
 *
 * @param kindOf the type of a column by its name; a cell with another form stays text.
 * @throws LimitlineError `FILE` when there are more records than Excel has rows
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
  // An error while reading records must end the output as well; otherwise it would wait forever.
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  zip.addReadStream(sheet, SHEET);
  zip.end();
  await pipeline(zip.outputStream, to);
}

/** The length of the XML that is passed to the compressor at once. Larger pieces need fewer calls. */
const PIECE_LENGTH = 64 * 1024;

/** Records whose texts are measured for the column widths; measuring all records would need them all in memory. */
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

/** Freezes the first row. */
const STILL_HEADER =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>';

/** The widths of columns in characters, as Excel measures them. Narrower columns are hard to read; wider ones hide their neighbours. */
const [NARROWEST, WIDEST] = [8, 60];

function widthsXml(records: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of records) {
    for (const [at, cell] of cells.entries())
      widths[at] = Math.max(widths[at] ?? NARROWEST, Math.min(cell.length, WIDEST));
  }
  if (widths.length === 0) return '';
  // Margins and wide characters need a width of two more.
  const columns = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width + 2}" customWidth="1"/>`,
  );
  return `<cols>${columns.join('')}</cols>`;
}

function tooLong(): LimitlineError {
  const rows = LIMITS.rows.toLocaleString('en');
  const message = `An Excel sheet has at most ${rows} rows, and there are more lines: use --format csv.`;
  return new LimitlineError('FILE', message);
}
