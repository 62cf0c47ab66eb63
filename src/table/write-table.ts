import { type Options, type Stringifier, stringify } from 'csv-stringify';
import { stringify as textOf } from 'csv-stringify/sync';
import type { Dialect } from './dialect.ts';
import { makeEncoder } from './encodings/encoders.ts';

type TextDialect = Pick<Dialect, 'delimiter' | 'lineBreak'>;

/** A stream that turns records into table text in this dialect, safe for spreadsheets. */
export function makeTableText(dialect: TextDialect): Stringifier {
  return stringify(optionsOf(dialect));
}

/** Some 60 kB. Later steps take a hundredth of the time that single records would cost. */
const RECORDS = 200;

/** The same for an async iterable, in batches of records, because there may be a million. */
export async function* tableTexts(records: AsyncIterable<string[]>, dialect: TextDialect): AsyncGenerator<Buffer> {
  const options = optionsOf(dialect);
  let some: string[][] = [];
  for await (const record of records) {
    some.push(record);
    if (some.length < RECORDS) continue;
    yield Buffer.from(textOf(some, options));
    some = [];
  }
  if (some.length > 0) yield Buffer.from(textOf(some, options));
}

function optionsOf(dialect: TextDialect): Options {
  return { ...quotingOf(dialect), cast: { string: harmless } };
}

/** Options for csv-stringify that preserve every cell. */
export function quotingOf({ delimiter, lineBreak }: TextDialect): Options {
  // By default, csv-stringify quotes only the line break that ends records.
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}

/** The encoded text, with its byte order mark and `sep=` line. */
export async function* encodeTable(texts: AsyncIterable<Buffer>, dialect: Dialect): AsyncGenerator<Buffer> {
  const encode = makeEncoder(dialect.encoding);
  const { bom, sepLine, delimiter, lineBreak } = dialect;
  const start = `${bom ? '\ufeff' : ''}${sepLine ? `sep=${delimiter}${lineBreak}` : ''}`;
  if (start !== '') yield encode(start);
  // csv-stringify returns UTF-8, in whole records.
  for await (const text of texts) yield dialect.encoding === 'utf-8' ? text : encode(text.toString());
}

/** What requires quotation marks in a cell (RFC 4180, section 2). csv-stringify uses the same rule. */
const QUOTED = /[",\r\n]/;

/**
 * One line of a CSV with commas (RFC 4180), safe for spreadsheets, with its line break. For tables of a million lines,
 * for which csv-stringify takes ten times as long.
 */
export function plainTableLine(cells: readonly (string | number)[]): string {
  let line = '';
  for (const [place, cell] of cells.entries()) {
    if (place > 0) line += ',';
    line += typeof cell === 'number' ? cell : quoted(harmless(cell));
  }
  return `${line}\r\n`;
}

/**
 * Makes a cell safe for spreadsheets: a text that would run as a formula gets an apostrophe, which marks it as text
 * (OWASP, "CSV Injection"). Numbers, also negative ones, and telephone numbers stay. Reading removes the apostrophe,
 * see {@link withoutApostrophe}.
 */
export function harmless(cell: string): string {
  return RUN_AS_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Removes the apostrophe that spreadsheets and our results put before a text that looks like a formula. */
export function withoutApostrophe(text: string): string {
  return text.startsWith("'") && RUN_AS_FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Includes full-width signs (U+FF1D and others), which East Asian spreadsheets accept, and signs after blanks and byte
 * order marks, which some programs skip.
 */
const RUN_AS_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/** A sign, then digits with separators, which cannot be computed. Unambiguous, so that long texts take linear time. */
const NUMBER = /^[ \u00a0\u202f]*[-+](?=\D*\d)[\d.,'’ \u00a0\u202f]*$/;
