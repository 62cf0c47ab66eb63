import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { harmless } from '../../src/table/formulas.ts';
import { plainTableLine, quotingOf } from '../../src/table/write-table.ts';

test('a line is what csv-stringify makes of it, whatever stands in its cells', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', ' ', 'a', '1', 'ü') }),
    fc.nat(),
  );
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), (cells) => {
      const theirs = stringify([cells], { ...quotingOf(PLAIN_DIALECT), cast: { string: harmless } });
      expect(plainTableLine(cells)).toBe(theirs);
    }),
  );
});
