import type { Options } from 'csv-stringify';
import type { Dialect } from '../../src/table/dialect.ts';

/** Options by which csv-stringify preserves every cell: by default it quotes only cells with the line break that ends records. */
export function stringifyOptions({ delimiter, lineBreak }: Pick<Dialect, 'delimiter' | 'lineBreak'>): Options {
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}
