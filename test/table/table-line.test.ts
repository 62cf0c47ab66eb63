import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless } from '../../src/table/formulas.ts';
import { makeTableLine } from '../../src/table/write-table.ts';
import { stringifyOptions } from '../support/temporary-folder.ts';

test('a line is what csv-stringify makes of it, whatever stands in its cells', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', ' ', 'a', '1', 'ü') }),
    fc.nat(),
  );
  const dialect = fc.record({
    delimiter: fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
    lineBreak: fc.constantFrom('\n' as const, '\r\n' as const),
  });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), dialect, (cells, like) => {
      const theirs = stringify([cells], { ...stringifyOptions(like), cast: { string: harmless } });
      expect(makeTableLine(like)(cells)).toBe(theirs);
    }),
  );
});
