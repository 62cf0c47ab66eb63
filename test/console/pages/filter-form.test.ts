import { expect, test } from 'vitest';
import { withPlainAmounts } from '../../../src/console/pages/portfolio/filter-form.ts';

test.each([
  ['400.000', ',', '400000'],
  ['400,5', ',', '400.5'],
  ['1.234.567,89', ',', '1234567.89'],
  ['400000.5', ',', '400000.5'],
  ['400,000', '.', '400000'],
  ['12’500.25', '.', '12500.25'],
  ['0', ',', '0'],
  ['1000', ',', '1000'],
])('an amount typed as %s with the decimal mark %s is read as %s', (min, decimal, plain) => {
  expect(withPlainAmounts({ min, decimal, text: 'a' })).toEqual({ min: plain, text: 'a' });
});

// Promise: typed-amount-not-guessed
test.each([
  ['400,000', ',', 'The largest amount, 400,000, can mean two things'],
  ['400.000', '.', 'The largest amount, 400.000, can mean two things'],
  ['many', ',', 'The largest amount is not a number such as 25000 or 25000,50.'],
  ['-5', '.', 'The largest amount is not a number'],
])('the ambiguous or invalid amount %s with the decimal mark %s is refused', (max, decimal, words) => {
  expect(() => withPlainAmounts({ max, decimal })).toThrow(words);
});

test('amounts with an unknown decimal mark stay unchanged', () => {
  expect(withPlainAmounts({ min: '1,000', decimal: '٫' })).toEqual({ min: '1,000' });
});
