import { type Options, type Stringifier, stringify } from 'csv-stringify';
import { stringify as textOf } from 'csv-stringify/sync';
import type { Dialect } from './dialect.ts';
import { makeEncoder } from './encodings/encoders.ts';
import { harmless } from './formulas.ts';

type TextDialect = Pick<Dialect, 'delimiter' | 'lineBreak'>;

/** Turns records into the text of a table in this dialect, made harmless for spreadsheets, as they are written into it. */
export function makeTableText(dialect: TextDialect): Stringifier {
  return stringify(optionsOf(dialect));
}

/** Some 60 kB, which costs whatever comes behind a hundredth of what each record by itself would. */
const RECORDS = 200;

/** The same of records that are there to be read: some hundred at a time, for there may be a million. */
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

/** What csv-stringify is told so that every cell comes back as it was. */
export function quotingOf({ delimiter, lineBreak }: TextDialect): Options {
  // By itself it quotes a line break only if it is the one that ends records.
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}

/** The bytes of that text, with what the file begins with: byte order mark and `sep=` line. */
export async function* encodeTable(texts: AsyncIterable<Buffer>, dialect: Dialect): AsyncGenerator<Buffer> {
  const encode = makeEncoder(dialect.encoding);
  const { bom, sepLine, delimiter, lineBreak } = dialect;
  const start = `${bom ? '\ufeff' : ''}${sepLine ? `sep=${delimiter}${lineBreak}` : ''}`;
  if (start !== '') yield encode(start);
  // csv-stringify gives UTF-8, whole records at a time.
  for await (const text of texts) yield dialect.encoding === 'utf-8' ? text : encode(text.toString());
}
