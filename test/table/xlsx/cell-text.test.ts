import { expect, test } from 'vitest';
import { cellText } from '../../../src/table/xlsx/sheet-rows.ts';

const PLAIN = { isDate: false, leastDigits: 0, scale: '', sections: [] };
const BOOK = {
  shared: ['Acme', 'Beta'],
  styles: [PLAIN, { ...PLAIN, isDate: true }, { ...PLAIN, leastDigits: 5 }, { ...PLAIN, scale: 'T€' }],
  from1904: false,
};

test.each([
  ['a shared text', 's', 0, '1', 'Beta'],
  ['a missing shared text', 's', 0, '7', ''],
  ['an empty shared text', 's', 0, '', ''],
  ['a date at midnight', 'd', 0, '2025-03-31T00:00:00.000Z', '2025-03-31'],
  ['a date with a time', 'd', 0, '2025-03-31T12:00:00Z', '2025-03-31T12:00:00Z'],
  ['true', 'b', 0, '1', 'TRUE'],
  ['false', 'b', 0, '0', 'FALSE'],
  ['a text with escapes', 'str', 0, 'A_x0042_', 'AB'],
  ['a number', 'n', 0, '1E3', '1000'],
  ['an empty number', 'n', 1, '', ''],
  ['a number formatted as a date', 'n', 1, '45747', '2025-03-31'],
  ['a number with leading zeros', 'n', 2, '67', '00067'],
  ['a number in thousands', 'n', 3, '50', '50 T€'],
  ['a number with an unknown style', 'n', 9, '50', '50'],
])('%s (type %s, style %i) written as %j is read as %j', (_what, type, style, written, text) => {
  expect(cellText(BOOK, { type, style }, written)).toBe(text);
});
