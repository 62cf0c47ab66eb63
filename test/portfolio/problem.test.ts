import { expect, test } from 'vitest';
import { makeProblem } from '../../src/portfolio/problem.ts';

test.each([
  ['short', 'short'],
  ['', null],
  [null, null],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(79)}…`],
  // The cut would split the emoji, and half a character is not text.
  [`${'x'.repeat(78)}\u{1f600}xx`, `${'x'.repeat(78)}…`],
  ['a\0b\x1b[31m\x7f\x85', 'a\u2400b\u241b[31m\u2421\ufffd'],
  ['a\nb', 'a\u240ab'],
  ['M\udcfcller', 'M\ufffdller'],
])('the value %j is shown as %j', (value, shown) => {
  expect(makeProblem(3, 'name', value, 'why')).toEqual({ line: 3, column: 'name', value: shown, message: 'why' });
});
