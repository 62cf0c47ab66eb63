import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeReportSum } from '../../../src/ledger/nightly/exact-sum.ts';

test('a sum of amounts is exact for any number of decimals', () => {
  const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^(?:\.\d{1,12})?$/));
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 30 }), (parts) => {
      const amounts = parts.map(([whole, decimals]) => `${whole}${decimals}`);
      const sum = makeReportSum();
      for (const one of amounts) sum.add(one);
      expect(sum.text()).toBe(amounts.reduce((total, one) => total.plus(one), new Big(0)).toFixed());
    }),
  );
});

test('unreadable amounts add nothing, and without amounts there is no sum', () => {
  const sum = makeReportSum();
  for (const text of ['', 'much', '-1', '1e3', '1.', '.5', '9'.repeat(41)]) sum.add(text);
  expect(sum.text()).toBeUndefined();
  sum.add('0.10');
  expect(sum.text()).toBe('0.1');
});
