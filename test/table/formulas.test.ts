import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless, withoutTextMark } from '../../src/table/formulas.ts';

// Promise: formulas-become-text
test.each([
  '＝1+1',
  '＋cmd',
  '－2',
  '＠SUM(A1)',
  '=1+1',
  '+cmd',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u{feff}=1',
  '\u{3000}＝1',
  '\u{a0}@x',
  ' - 2 + x',
  '\t5',
])('%j gets an apostrophe, so that no spreadsheet runs it', (cell) => {
  expect(harmless(cell)).toBe(`'${cell}`);
});

test.each(['', 'Acme', "'quoted'", '-5', '-1.234,50', '+49 431 1234', '-1’000.50', ' -5', ' x=1'])(
  '%j is written unchanged',
  (cell) => {
    expect(harmless(cell)).toBe(cell);
  },
);

// Promise: formulas-become-text
test('a cell with a protecting apostrophe is read as it was', () => {
  const cell = fc.string({
    unit: fc.constantFrom("'", '＝', '=', '+', '-', '@', '\t', '\n', '1', 'a', ' ', '\u{feff}'),
  });
  fc.assert(
    fc.property(cell, (text) => {
      // Only a text that already has such an apostrophe cannot be told from a protected one.
      fc.pre(withoutTextMark(text) === text);
      expect(withoutTextMark(harmless(text))).toBe(text);
    }),
  );
});

test.each([
  ['="000123"', '000123'],
  [`'="000123"`, '000123'],
  ['="The ""Best"""', 'The "Best"'],
  ['=""', ''],
  ['="A"&"B"', '="A"&"B"'],
  ['=A1', '=A1'],
])('%j, which may be one text as a formula, is read as %j', (cell, text) => {
  expect(withoutTextMark(cell)).toBe(text);
});

test('very long cells are checked in linear time', () => {
  const cells = [`-${'1'.repeat(32_000)}x`, `${' '.repeat(32_000)}-x`];
  const begun = performance.now();
  for (let times = 0; times < 5; times += 1) for (const cell of cells) expect(harmless(cell) === `'${cell}`).toBe(true);
  // With backtracking at each character it takes more than a second on any machine.
  expect(performance.now() - begun).toBeLessThan(1_000);
});
