import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addAmounts, makeExactSum } from '../src/exact-sum.ts';

test('amounts are added without the rounding errors of floats', () => {
  expect(addAmounts('0.1', '0.2')).toBe('0.3');
  expect(addAmounts('9007199254740992', '1')).toBe('9007199254740993');
  expect(addAmounts('0', '1000.50')).toBe('1000.5');
  expect(addAmounts('100000000000000000000000', '0.000001')).toBe('100000000000000000000000.000001');
});

test('a sum is exact for any amounts with any number of decimals', () => {
  const whole = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 10n ** 6n }));
  const amount = fc.tuple(whole, fc.stringMatching(/^(?:\.\d{1,12})?$/)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 30 }), (amounts) => {
      const sum = makeExactSum();
      for (const one of amounts) sum.add(one);
      expect(sum.total()).toBe(amounts.reduce((total, one) => total.plus(one), new Big(0)).toFixed());
    }),
  );
});
