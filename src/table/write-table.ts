import { type Options, type Stringifier, stringify } from 'csv-stringify';
import type { Dialect } from './dialect.ts';
import { makeEncoder } from './encodings/encoders.ts';
import { harmless } from './formulas.ts';

/** Turns records into the text of a table in this dialect, made harmless for spreadsheets. */
export function makeTableText(dialect: Pick<Dialect, 'delimiter' | 'lineBreak'>): Stringifier {
  return stringify({ ...quotingOf(dialect), cast: { string: harmless } });
}

/** What csv-stringify is told so that every cell comes back as it was. */
export function quotingOf({ delimiter, lineBreak }: Pick<Dialect, 'delimiter' | 'lineBreak'>): Options {
  // By itself it quotes a line break only if it is the one that ends records.
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}

/** The bytes of that text, with what the file begins with: byte order mark and `sep=` line. */
export async function* encodeTable(texts: AsyncIterable<Buffer>, dialect: Dialect): AsyncGenerator<Buffer> {
  const encode = makeEncoder(dialect.encoding);
  const { bom, sepLine, delimiter, lineBreak } = dialect;
  const start = `${bom ? '\ufeff' : ''}${sepLine ? `sep=${delimiter}${lineBreak}` : ''}`;
  if (start !== '') yield encode(start);
  // csv-stringify gives UTF-8, a whole record at a time.
  for await (const text of texts) yield dialect.encoding === 'utf-8' ? text : encode(text.toString());
}
