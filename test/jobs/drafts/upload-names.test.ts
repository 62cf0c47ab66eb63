import { expect, test } from 'vitest';
import { portfolioNameFor } from '../../../jobs/drafts/upload-names.ts';

test.each([
  ['q4-errors.csv', 'q4'],
  ['q4-errors (1).csv', 'q4'],
  ['q4.errors.csv', 'q4'],
  ['-errors.csv', 'errors'],
  ['errors.csv', 'errors'],
])('the portfolio proposed for %s is %s', (file, name) => {
  expect(portfolioNameFor(file)).toBe(name);
});
