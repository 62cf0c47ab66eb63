import { type Dialect, PLAIN_DIALECT } from '../../table/dialect.ts';

/**
 * How results are written: as the input (`all`), separated as the input is but in UTF-8 (`cells`), or in UTF-8 with commas. UTF-8
 * begins with a byte order mark where the input did, or was written by a program that takes a file without one for its own
 * code page, as Excel does: a workbook, `sep=`, UTF-16, Windows-1252 and the like. Never with `sep=` beside it, which makes
 * Excel pass over the mark.
 */
export function resultsDialect(input: Dialect, like: 'all' | 'cells' | 'nothing'): Dialect {
  if (like === 'all') return input;
  const bom = input.bom || input.sepLine || input.sheet !== undefined || input.encoding !== 'utf-8';
  if (like === 'nothing') return { ...PLAIN_DIALECT, bom };
  return { ...PLAIN_DIALECT, bom, delimiter: input.delimiter, lineBreak: input.lineBreak };
}
