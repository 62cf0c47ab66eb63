import { expect, test } from 'vitest';
import { makeReportSum } from '../../../src/ledger/nightly/report-sum.ts';

test('unreadable amounts add nothing, and without amounts there is no sum', () => {
  const sum = makeReportSum();
  for (const text of ['', 'much', '-1', '1e3', '1.', '.5', '9'.repeat(41)]) sum.add(text);
  expect(sum.text()).toBeUndefined();
  sum.add('0.10');
  sum.add(`${'9'.repeat(40)}.${'1'.repeat(40)}`);
  expect(sum.text()).toBe(`${'9'.repeat(40)}.2${'1'.repeat(39)}`);
});
