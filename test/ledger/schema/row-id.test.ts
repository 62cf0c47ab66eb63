import { expect, test } from 'vitest';
import { isPortfolioName, rowIdOf, rowName } from '../../../src/ledger/schema/schema.ts';

const KEY = 'abcdefghijklmno_';

test('a row id is read back from its name', () => {
  const row = { portfolio: 'Q4 Länder', key: KEY };
  expect(rowIdOf(rowName(row))).toEqual(row);
});

test.each(['', 'q4', `q4/${KEY}/x`, `q4/${KEY}x`, 'q4/short', `/${KEY}`, `-q4/${KEY}`])(
  "%j is not a row's name",
  (name) => {
    expect(rowIdOf(name)).toBeUndefined();
  },
);

test.each([
  ['q4', true],
  ['Käufer 2026.1_a-b', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['.hidden', false],
  ['../up', false],
  ['a/b', false],
  ['a:b', false],
])('%j is a valid portfolio name: %s', (name, isName) => {
  expect(isPortfolioName(name)).toBe(isName);
});
