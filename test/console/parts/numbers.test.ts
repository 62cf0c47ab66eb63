import { expect, test } from 'vitest';
import { withNumbers } from '../../../src/console/parts/text.ts';

// Promise: one-notation-of-numbers
test.each([
  ['2 rows, 9,100.00, asked for', ['9100.00']],
  ['Request all: 1,200 limits, EUR 1,250,000.505 in total', ['1200', '1250000.505']],
  ['above 700.00.', ['700.00']],
  ['2 rows of portfolio 2026.11, of 1,000.csv #1, of “11.26”, and INV-12.50', []],
  ['of 30.11.2026, by version 24.21.0, at 10.0.12.11', []],
])('in %j the reader’s notation has %j', (text, numbers) => {
  const { markup } = withNumbers(text);
  expect([...markup.matchAll(/<data class="grouped" value="([^"]*)">/g)].map(([, value]) => value)).toEqual(numbers);
  expect(markup.replace(/<[^>]*>/g, '')).toBe(text);
});
