import { expect, test } from 'vitest';
import { common, currencyOf, decimalsOf, mayBeSame } from '../../../src/portfolio/values/currencies.ts';

test.each([
  ['EUR', 'EUR'],
  ['eur', 'EUR'],
  [' € ', 'EUR'],
  ['Euro', 'EUR'],
  ['Schweizer Franken', 'CHF'],
  ['CHF', 'CHF'],
])('%j is read as %s', (text, code) => {
  expect([...(currencyOf(text) ?? [])]).toEqual([code]);
});

test.each(['', 'PCS', 'LCY', 'Debitor', 'constructor', '__proto__'])('%j is not a currency', (text) => {
  expect(currencyOf(text)).toBeNull();
});

test('a sign may mean several currencies, and shares with a code those that both may mean', () => {
  const [dollar, cad, eur] = ['$', 'CAD', 'EUR'].map((text) => currencyOf(text) ?? new Set<string>());
  expect(dollar?.size).toBeGreaterThan(1);
  expect([...(common(dollar ?? new Set(), cad ?? new Set()) ?? [])]).toEqual(['CAD']);
  expect(common(dollar ?? new Set(), eur ?? new Set())).toBeNull();
});

test.each<[string | null, number]>([
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  // A yen or a yuan.
  ['¥', 2],
  ['LCY', 2],
  [null, 2],
])('amounts in %s have %i decimals', (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

test.each([
  ['EUR', '€', true],
  ['$', 'CAD', true],
  ['$', 'EUR', false],
  ['LCY', 'LCY', true],
  ['LCY', 'EUR', false],
])('%j and %j may be the same currency: %j', (one, other, isSame) => {
  expect(mayBeSame(one, other)).toBe(isSame);
});
