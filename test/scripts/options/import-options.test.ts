import { expect, test } from 'vitest';
import { portfolioNameOf } from '../../../scripts/options/import-options.ts';

test.each([
  ['q4.csv', 'q4'],
  ['/srv/inbox/Buyers Q4 (final).csv', 'Buyers Q4 -final-'],
  ['q4.2026.xlsx', 'q4.2026'],
  ['.hidden', 'hidden'],
  ['(1) q4.csv', '1- q4'],
  ['---.csv', 'portfolio'],
  ['Ka\u0308ufer.csv', 'K\u00e4ufer'],
  [`${'q'.repeat(80)}.csv`, 'q'.repeat(64)],
])('a file %s is imported into the portfolio %s', (file, name) => {
  expect(portfolioNameOf(file)).toBe(name);
});
