import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless, withoutApostrophe } from '../../src/table/formulas.ts';

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
])('%j is kept from being run as a formula', (cell) => {
  expect(harmless(cell)).toBe(`'${cell}`);
});

test.each(['', 'Acme', "'quoted'", '-5', '-1.234,50', '+49 431 1234', '-1’000.50', ' -5', ' x=1'])(
  '%j stays as it is',
  (cell) => {
    expect(harmless(cell)).toBe(cell);
  },
);

// Promise: formulas-become-text
test('what was made harmless is read as it was, whatever it is', () => {
  const cell = fc.string({
    unit: fc.constantFrom("'", '＝', '=', '+', '-', '@', '\t', '\n', '1', 'a', ' ', '\u{feff}'),
  });
  fc.assert(
    fc.property(cell, (text) => {
      // A text that has the apostrophe already is the one thing that cannot be told from one that was made harmless.
      fc.pre(withoutApostrophe(text) === text);
      expect(withoutApostrophe(harmless(text))).toBe(text);
    }),
  );
});

test('a cell as long as a sheet allows is looked at in no time', () => {
  const cells = [`-${'1'.repeat(32_000)}x`, `${' '.repeat(32_000)}-x`];
  const begun = performance.now();
  for (let times = 0; times < 5; times += 1) for (const cell of cells) expect(harmless(cell) === `'${cell}`).toBe(true);
  // With a way back at each character each takes more than a second, on any machine.
  expect(performance.now() - begun).toBeLessThan(1_000);
});
