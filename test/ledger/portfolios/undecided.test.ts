import { expect, test } from 'vitest';
import { isUndecided } from '../../../src/ledger/portfolios/replacing.ts';

const ASKING = { row: { portfolio: 'q4', key: 'k' }, line: 2, importId: '1', amount: '12500.5', isNamed: false };

test.each([
  [
    'This buyer has 2 requests here that were not sent, and it cannot be told which of them this line (12,500.5) corrects: …',
    true,
  ],
  [
    'This buyer has 2 requests here that were not sent, and it cannot be told which of them this line (12500.5) corrects: …',
    true,
  ],
  [
    'This buyer has 2 requests here that were not sent, and it cannot be told which of them this line (12,500) corrects: …',
    false,
  ],
])('a repeated line is recognised by its earlier problem, with and without group separators: %s', (earlier, is) => {
  expect(isUndecided(ASKING, earlier)).toBe(is);
});
