import { type Options, type Stringifier, stringify } from 'csv-stringify';
import { stringify as textOf } from 'csv-stringify/sync';
import type { Dialect } from './dialect.ts';
import { makeEncoder } from './encodings/encoders.ts';
import { harmless } from './formulas.ts';

type TextDialect = Pick<Dialect, 'delimiter' | 'lineBreak'>;

/** A stream that turns records into table text in this dialect, safe for spreadsheets. */
export function makeTableText(dialect: TextDialect): Stringifier {
  return stringify(optionsOf(dialect));
}

/** Records in one batch of table text, some 60 kB. Later steps then take a hundredth of the time that single records would cost. */
const RECORDS = 200;

/** Turns records into table text as {@link makeTableText} does, but in batches, because there may be a million. */
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
  // By default, csv-stringify quotes only cells with the line break that ends records.
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
