import { expect, test } from 'vitest';
import { type Dialect, PLAIN_DIALECT } from '../../../src/table/dialect.ts';
import { resultsDialect } from '../../../src/table/write-table.ts';

const EXCELS: Dialect = { ...PLAIN_DIALECT, delimiter: ';', lineBreak: '\n' };

// Promises: byte-order-mark, files-have-input-delimiter
test.each<[string, Partial<Dialect>, boolean]>([
  ['plain UTF-8', {}, false],
  ['UTF-8 with a mark', { bom: true }, true],
  ["Excel's sep=", { sepLine: true }, true],
  ['a workbook', { sheet: 'Buyers' }, true],
  ['UTF-16', { encoding: 'utf-16le', bom: true }, true],
  ['Windows-1252', { encoding: 'windows-1252' }, true],
])('results of %s are UTF-8, with a byte order mark if a spreadsheet needs one', (_name, change, bom) => {
  const input = { ...EXCELS, ...change };
  expect(resultsDialect(input, 'nothing')).toEqual({ ...PLAIN_DIALECT, bom });
  expect(resultsDialect(input, 'cells')).toEqual({ ...PLAIN_DIALECT, bom, delimiter: ';', lineBreak: '\n' });
  expect(resultsDialect(input, 'all')).toBe(input);
});
