import { expect, test } from 'vitest';
import { dateOfSerial, plainNumber, serialOf, withZeros } from '../../../src/table/xlsx/numbers.ts';

test.each([
  ['1234.5', '1234.5'],
  ['1.234', '1.2340'],
  ['0.30000000000000004', '0.3'],
  ['1E-3', '0.001'],
  ['1.2E+20', '120000000000000000000'],
  ['1000000', '1000000'],
  ['-5', '-5'],
])('the number %s is read as %s', (written, text) => {
  expect(plainNumber(written)).toBe(text);
});

test.each([
  ['1', false, '1900-01-01'],
  ['59', false, '1900-02-28'],
  ['61', false, '1900-03-01'],
  ['45747', false, '2025-03-31'],
  ['44285', true, '2025-03-31'],
  ['45747.5', false, '2025-03-31T12:00:00'],
])('the serial number %s, counted from 1904: %j, is the day %s', (written, from1904, day) => {
  expect(dateOfSerial(written, { from1904 })).toBe(day);
});

test('a number that is no double stays as it is written', () => {
  for (const written of ['1E999999', '-1E400', 'many', '1E']) expect(plainNumber(written)).toBe(written);
  expect(plainNumber('1E300')).toHaveLength(301);
});

test.each([
  ['2025-03-31', 45_747],
  ['2025-03-31T12:00:00Z', 45_747.5],
  ['1900-03-01', 61],
  ['1900-02-28', null],
])('the day %s has the serial number %j', (iso, serial) => {
  expect(serialOf(iso)).toBe(serial);
});

test('leading zeros are put before whole numbers alone', () => {
  expect(['67', '10.5', '-67'].map((text) => withZeros(text, 5))).toEqual(['00067', '10.5', '-67']);
});
