import { expect, test } from 'vitest';
import { reasonList } from '../../../src/console/pages/new/mend-grid.ts';
import { sentences } from '../../../src/console/pages/new/words.ts';
import { emptyState, notice, pageHead } from '../../../src/console/parts/blocks.ts';
import { advice, money, withNumbers } from '../../../src/console/parts/text.ts';
import { makeProblem } from '../../../src/portfolio/problem.ts';

// Promise: one-notation-of-numbers
test.each([
  ['2 rows, 9,100.00, asked for', ['9100.00']],
  ['Request all: 1,200 limits, EUR 1,250,000.505 in total', ['1200', '1250000.505']],
  ['above 700.00.', ['700.00']],
  ['2 rows of portfolio 2026.11, of 1,000.csv #1, of “11.26”, and INV-12.50', []],
  ['have a decimal comma, such as 12.50 in line 3 and 1,250.50 in line 4: 100,000.50 in sum', ['100000.50']],
  ['The cell is 50 (shown as 50,000), and such as 10.01, read like numbers', []],
  ['sent: 13,712.5 (13,712.5, done)', ['13712.5', '13712.5']],
  ['of 30.11.2026, by version 24.21.0, at 10.0.12.11', []],
])('in %j these numbers are marked for the reader’s notation: %j', (text, numbers) => {
  const { markup } = withNumbers(text);
  expect([...markup.matchAll(/<data class="grouped" value="([^"]*)">/g)].map(([, value]) => value)).toEqual(numbers);
  expect(markup.replace(/<[^>]*>/g, '')).toBe(text);
});

test.each([
  ['1200.5', 'EUR', 'EUR 1,200.50'],
  ['1200.5', undefined, '1,200.50'],
  ['', 'EUR', '–'],
])('the amount %j in %s is shown as %j', (amount, currency, shown) => {
  expect(money({ amount, currency }).markup.replace(/<[^>]*>/g, '')).toBe(shown);
});

const numbersIn = (markup: { markup: string }) =>
  [...markup.markup.matchAll(/<data class="grouped" value="([^"]*)">/g)].map(([, value]) => value);

// Promise: one-notation-of-numbers
test('numbers of Limitline in a problem are marked for the reader’s notation, and those of the service are not', () => {
  expect(numbersIn(advice('Sent before: 13,712.50. It asks for 1,000.00 since 2026-11-27T12:57:07.138Z.'))).toEqual([
    '13712.50',
    '1000.00',
  ]);
  expect(numbersIn(advice('Of 9,100.00: status 422: more than 1,000.00. Or 2,000.00.'))).toEqual(['9100.00']);
});

// Promise: one-notation-of-numbers
test.each([
  ['a notice', notice('warn', 'above 700.00')],
  ['the head of a page', pageHead({ title: 'q4', lead: '1,200 rows' })],
  ['an empty list', emptyState({ title: '1,200 lines are too many', words: 'of 700.00' })],
  ['problems of a file', sentences([{ column: 'limit', message: 'far above 700.00' }])],
  [
    'reasons of a line',
    reasonList({ problems: [makeProblem(3, 'limit', '1', 'beside (13,712.5, done)')], warnings: [] }),
  ],
])('the numbers of %s are marked for the reader’s notation', (_where, shown) => {
  expect(numbersIn(shown).length).toBeGreaterThan(0);
});
