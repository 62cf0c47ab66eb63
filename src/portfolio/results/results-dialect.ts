import { type Dialect, PLAIN_DIALECT } from '../../table/dialect.ts';

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
