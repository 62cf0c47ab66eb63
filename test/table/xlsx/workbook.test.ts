import { expect, test } from 'vitest';
import { isDateFormat, leastDigits, shownScale } from '../../../src/table/xlsx/workbook.ts';

test.each([
  [14, undefined, true],
  [2, undefined, false],
  [164, 'dd.mm.yyyy', true],
  [165, '#,##0.00 "d";[Red]-0', false],
  [166, '[$-407]d. mmmm yyyy', true],
  [167, 'General', false],
])('numbers of format %i, with the code %s, are days: %j', (id, code, isDate) => {
  expect(isDateFormat(id, code)).toBe(isDate);
});

test('a format of opening brackets alone is read at once', () => {
  expect(isDateFormat(170, '['.repeat(255))).toBe(false);
});

test.each([
  ['00000', 5],
  ['[$-407]00000;@', 5],
  ['0', 0],
  ['#,##0', 0],
  [undefined, 0],
])('the format %s shows at least %i digits', (code, digits) => {
  expect(leastDigits(code)).toBe(digits);
});

test.each([
  ['#,##0 "T€"', 'T€'],
  ['0 \\k', 'k'],
  ['#,##0,', 'thousands'],
  ['#,##0.0,,', 'thousands'],
  ['#,##0.00 [$€-407]', ''],
  ['#,##0', ''],
  ['#,##0 "pcs"', ''],
  ['#,##0;-#,##0 "k"', ''],
  [undefined, ''],
])('the format %s shows numbers in %j', (code, scale) => {
  expect(shownScale(code, (word) => ['T€', 'k'].includes(word))).toBe(scale);
});
