import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless, withoutApostrophe } from '../../src/table/formulas.ts';

test.each(['＝1+1', '＋cmd', '－2', '＠SUM(A1)', '=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])(
  '%j is kept from being run as a formula',
  (cell) => {
    expect(harmless(cell)).toBe(`'${cell}`);
  },
);

test.each(['', 'Acme', "'quoted'", '-5', '-1.234,50', '+49 431 1234', '-1’000.50'])('%j stays as it is', (cell) => {
  expect(harmless(cell)).toBe(cell);
});

test('what was made harmless is read as it was, whatever it is', () => {
  const cell = fc.string({ unit: fc.constantFrom("'", '＝', '=', '+', '-', '@', '\t', '\n', '1', 'a', ' ') });
  fc.assert(
    fc.property(cell, (text) => {
      // A text that has the apostrophe already is the one thing that cannot be told from one that was made harmless.
      fc.pre(withoutApostrophe(text) === text);
      expect(withoutApostrophe(harmless(text))).toBe(text);
    }),
  );
});
