import { expect, test } from 'vitest';
import { sumsByCurrency } from '../../../src/ledger/counts/outcome-sums.ts';

test('sums by currency stand in one order, whichever amounts come first, and those without a currency first', () => {
  const amounts = [
    { amount: '1.10', currency: 'USD' },
    { amount: '2', currency: undefined },
    { amount: '3', currency: 'EUR' },
    { amount: '0.20', currency: 'USD' },
  ];
  const sums = [
    { currency: undefined, amount: '2.00' },
    { currency: 'EUR', amount: '3.00' },
    { currency: 'USD', amount: '1.30' },
  ];
  expect(sumsByCurrency(amounts)).toEqual(sums);
  expect(sumsByCurrency(amounts.toReversed())).toEqual(sums);
});
