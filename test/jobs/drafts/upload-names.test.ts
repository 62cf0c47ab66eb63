import { expect, test } from 'vitest';
import { portfolioNameFor } from '../../../jobs/drafts/upload-names.ts';

test.each([
  ['q4-errors.csv', 'q4'],
  ['q4-errors (1).csv', 'q4'],
  ['q4.errors.csv', 'q4'],
  ['q4.xlsx.errors.csv', 'q4'],
  ['q4.txt.errors-2 (1).csv', 'q4'],
  ['q4.xlsx-errors.csv', 'q4.xlsx'],
  ['q4.errors-errors.csv', 'q4.errors'],
  ['q4.errors-errors-0a1b (1).csv', 'q4.errors'],
  ['q4.xlsx.errors.old.csv', 'q4.xlsx.errors.old'],
  ['-errors.csv', 'errors'],
  ['errors.csv', 'errors'],
])('the portfolio proposed for %s is %s', (file, name) => {
  expect(portfolioNameFor(file)).toBe(name);
});
