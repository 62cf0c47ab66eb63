import { expect, test } from 'vitest';
import { groupedAmount, moneyText } from '../src/counted.ts';

test.each([
  ['0', '0', '0.00'],
  ['999.5', '999.5', '999.50'],
  ['1234567.125', '1,234,567.125', '1,234,567.125'],
  ['12345678901234567890.01', '12,345,678,901,234,567,890.01', '12,345,678,901,234,567,890.01'],
])('the amount %s is grouped as %s, and shown as the money %s', (amount, grouped, money) => {
  expect([groupedAmount(amount), moneyText(amount)]).toEqual([grouped, money]);
});
