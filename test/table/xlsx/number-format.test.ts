import { expect, test } from 'vitest';
import { saysThousands } from '../../../src/portfolio/values/amount-unit.ts';
import { namesCurrency } from '../../../src/portfolio/values/currencies.ts';
import { isDateFormat, leastDigits, shownNumber, shownScale, styleOf } from '../../../src/table/xlsx/number-format.ts';

test.each([
  [14, undefined, true],
  [2, undefined, false],
  [164, 'dd.mm.yyyy', true],
  [165, '#,##0.00 "d";[Red]-0', false],
  [166, '[$-407]d. mmmm yyyy', true],
  [167, 'General', false],
])('numbers with format %i and code %s are dates: %j', (id, code, isDate) => {
  expect(isDateFormat(id, code)).toBe(isDate);
});

test('a format of opening brackets or quotes is read as literal text', () => {
  expect(isDateFormat(170, '['.repeat(255))).toBe(false);
  expect(shown('['.repeat(255), '500')?.text).toContain('[[');
  expect(shown('"[;'.repeat(85), '500')?.text).toContain('[;');
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
  ['0"000"', ''],
  ['#,##0,', 'thousands'],
  ['#,##0.0,,', 'thousands'],
  ['#,##0.00 [$€-407]', ''],
  ['#,##0', ''],
  ['#,##0 "pcs"', ''],
  ['#,##0;-#,##0 "k"', ''],
  [undefined, ''],
])('the format %s shows numbers in the scale %j', (code, scale) => {
  expect(shownScale(code, (word) => ['T€', 'k', '000'].includes(word))).toBe(scale);
});

const shown = (code: string | undefined, written: string, id = 164) =>
  shownNumber(styleOf(id, code, { saysThousands, namesCurrency }), written);

test.each([
  ['#,##0",000"', '50', '50,000'],
  ['0"000"', '58', '58000'],
  ['# ##0\\ \\0\\0\\0', '59', '59 000'],
  ['0" wan"', '67', '67 wan'],
  ['0" cr"', '5', '5 cr'],
  ['0" 千块"', '5', '5 千块'],
  ['0 "thd"', '5', '5 thd'],
  ['[Red]0" (in thousands)"', '5', '5 (in thousands)'],
  ['0 "× 1000"', '5.5', '5.5 × 1000'],
  ['#,##0" Stk."', '12345', '12345 Stk.'],
  ['"-"0', '54', '-54'],
  ['(0)', '54', '(54)'],
  ['0%', '0.5', '50%'],
  ['#,##0 "%"', '50', '50 %'],
  ['[<100]0;[>=100]0 "cr"', '100', '100 cr'],
  ['0"."000', '61', '0.061'],
  ['"HRB "0', '4711', 'HRB 4711'],
  ['"DE"000000000', '12345678', 'DE012345678'],
  ['00-000-0000', '12345678', '01-234-5678'],
  ['00\\-000\\-0000', '12345678', '01-234-5678'],
  ['General" K€/a"', '5', '5 K€/a'],
  [';;;', '5', 'nothing'],
  [';0', '5', 'nothing'],
  ['""', '5', 'nothing'],
  ['[h]:mm', '5', 'a time'],
])('the format %s shows %s as %s', (code, written, text) => {
  expect(shown(code, written)).toEqual({ text: `${written} (shown as ${text})` });
});

test.each([
  [9, '50', '5000%'],
  [10, '0.125', '12.5%'],
  [20, '1000', 'a time'],
  [46, '1000', 'a time'],
])('the built-in format %i shows %s as %s', (id, written, text) => {
  expect(shown(undefined, written, id)).toEqual({ text: `${written} (shown as ${text})` });
});

test.each([
  ['000000000_)', '12345678', '012345678'],
  ['0,000', '61', '0061'],
  ['General', '1234567890123451', '1.23456789012345E+15'],
  ['0', '1.23456789012345E+15', '1.23456789012345E+15'],
  ['0', '1.2E+20', '1.2E+20'],
  ['0', '0.30000000000000004', '3E-1'],
])('the format %s shows other digits of %s, which are the same amount as %s', (code, written, text) => {
  expect(shown(code, written)).toEqual({ text: `${written} (shown as ${text})`, isSameAmount: true });
});

test.each([
  ['#,##0.00 [$€-407]', '€'],
  ['[$$-409]#,##0.00', '$'],
  ['"USD" #,##0', 'USD'],
  ['#,##0 "CHF"', 'CHF'],
  ['#,##0.00\\ €', '€'],
  ['[$JPY] #,##0', 'JPY'],
  ['[$R-1C09]\\ #,##0', 'R'],
  ['_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', '€'],
  ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', '$'],
  [`"Fr."\\ #"'"##0.--`, 'Fr.'],
  ['"€" #,##0",-"', '€'],
  ['#,##0"円"', '円'],
  ['#,##0.00"р."', 'р.'],
])('the format %s adds only the currency %s', (code, currency) => {
  expect(shown(code, '50000')).toEqual({ currency });
});

test.each([
  undefined,
  'General',
  '@',
  '0',
  '00000',
  '#,##0.00_);[Red](#,##0.00)',
  '#,##0_ ;[Red]-#,##0\\ ',
  "#\\'##0",
  '# ##0',
  '+0',
  '0.00E+00',
  '# ?/?',
  '0;0;"none"',
  '0;;;',
  '.00',
  '[>1000]0 "cr";0',
  '[$-407]0',
  'dd.mm.yyyy "d"',
])('the format %s adds nothing to the number', (code) => {
  expect(shown(code, '500')).toBeUndefined();
});

test('text that is no number, and rounding noise of a double, are shown unchanged', () => {
  for (const written of ['1.1000000000000001', '4711', '-5', '0x10', 'many', '1E999999'])
    expect(shown('0', written)).toBeUndefined();
});
