import { type Dialect, PLAIN_DIALECT } from './dialect.ts';
import { makeEncoder } from './encodings/encoders.ts';
import { harmless } from './formulas.ts';

type TextDialect = Pick<Dialect, 'delimiter' | 'lineBreak'>;

/**
 * The length of one batch of table text. Later steps then take a hundredth of the time that single records would cost. Longer texts are freed
 * late.
 */
const BATCH_LETTERS = 32 * 1024;

/** Turns records into table text in this dialect, safe for spreadsheets, in batches, because there may be a million. */
export async function* tableTexts(records: AsyncIterable<string[]>, dialect: TextDialect): AsyncGenerator<Buffer> {
  const lineOf = makeTableLine(dialect);
  let text = '';
  for await (const record of records) {
    text += lineOf(record);
    if (text.length < BATCH_LETTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The encoded text, with its byte order mark and `sep=` line. */
export async function* encodeTable(texts: AsyncIterable<Buffer>, dialect: Dialect): AsyncGenerator<Buffer> {
  const encode = makeEncoder(dialect.encoding);
  const { bom, sepLine, delimiter, lineBreak } = dialect;
  const start = `${bom ? '\ufeff' : ''}${sepLine ? `sep=${delimiter}${lineBreak}` : ''}`;
  if (start !== '') yield encode(start);
  for await (const text of texts) yield dialect.encoding === 'utf-8' ? text : encode(text.toString());
}

/**
 * Makes a function that writes one line of a table (RFC 4180), safe for spreadsheets, with its line break. Tables have a million
 * lines, for which csv-stringify takes ten times as long.
 */
export function makeTableLine({ delimiter, lineBreak }: TextDialect): (cells: readonly (string | number)[]) => string {
  // The characters that require quotation marks in a cell (RFC 4180, section 2).
  const quoted = new RegExp(`["\r\n${delimiter}]`);
  const textOf = (cell: string) => (quoted.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return (cells) => {
    let line = '';
    for (const [place, cell] of cells.entries()) {
      if (place > 0) line += delimiter;
      line += typeof cell === 'number' ? cell : textOf(harmless(cell));
    }
    return line + lineBreak;
  };
}

/** One line of a CSV with commas, see {@link makeTableLine}. */
export const plainTableLine = makeTableLine(PLAIN_DIALECT);

/**
 * How results are written: like the input (`all`), with its delimiter but in UTF-8 (`cells`), or in UTF-8 with commas
 * (`nothing`). UTF-8 gets a byte order mark if the input has one or comes from a program such as Excel, which takes a
 * file without it for its code page. Never with `sep=`, which makes Excel ignore the mark.
 */
export function resultsDialect(input: Dialect, like: 'all' | 'cells' | 'nothing'): Dialect {
  if (like === 'all') return input;
  const bom = input.bom || input.sepLine || input.sheet !== undefined || input.encoding !== 'utf-8';
  if (like === 'nothing') return { ...PLAIN_DIALECT, bom };
  return { ...PLAIN_DIALECT, bom, delimiter: input.delimiter, lineBreak: input.lineBreak };
}
