import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cellName,
  columnOf,
  dateOfSerial,
  escapedAsText,
  plainNumber,
  serialOf,
  unescaped,
  withZeros,
} from '../../../src/table/xlsx/cell-xml.ts';
import { LIMITS } from '../../../src/table/xlsx/parse-xml.ts';

test.each([
  ['1234.5', '1234.5'],
  ['1.234', '1.2340'],
  ['0.30000000000000004', '0.3'],
  ['1E-3', '0.001'],
  ['1.2E+20', '120000000000000000000'],
  ['1000000', '1000000'],
  ['-5', '-5'],
  ['4711', '4711'],
  ['4711.0', '4711'],
  ['4.711E3', '4711'],
  ['04711.', '4711'],
  ['2.50', '2.5'],
  ['1.2340', '1.2340'],
  ['0.0', '0'],
  ['.5', '0.5'],
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
  ['2958465', false, '9999-12-31'],
  ['2958466', false, '2958466'],
  ['12345678', false, '12345678'],
])('the serial number %s with the 1904 date system: %j, is the date %s', (written, from1904, day) => {
  expect(dateOfSerial(written, { from1904 })).toBe(day);
});

test('text that is no finite number is kept as written', () => {
  for (const written of ['1E999999', '-1E400', 'many', '1E', '0x100', ' ', '1 2'])
    expect(plainNumber(written)).toBe(written);
  expect(plainNumber('1E300')).toHaveLength(301);
});

test.each([
  ['2025-03-31', 45_747],
  ['2025-03-31T12:00:00Z', 45_747.5],
  ['1900-03-01', 61],
  ['1900-02-28', null],
])('the date %s has the serial number %j', (iso, serial) => {
  expect(serialOf(iso)).toBe(serial);
});

test('only whole numbers get leading zeros', () => {
  expect(['67', '10.5', '-67'].map((text) => withZeros(text, 5))).toEqual(['00067', '10.5', '-67']);
});

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [LIMITS.columns - 1, 'XFD'],
])('the column at index %i is named %s, in both directions', (at, letters) => {
  expect(cellName(at, 7)).toBe(`${letters}7`);
  expect(columnOf(`${letters}7`)).toBe(at);
});

test.each(['7', '', 'ZZZZZ1', 'A'.repeat(1_000_000)])('a name that no cell can have gives no column', (name) => {
  const column = columnOf(name);
  expect(column >= 0 && column < LIMITS.columns).toBe(false);
});

test.each([
  ['a_x000D_b', 'a\rb'],
  ['_x0041__x0042_', 'AB'],
  ['_x005F_x0041_', '_x0041_'],
  ['_x41_ _X0041_', '_x41_ _X0041_'],
])('%j is unescaped to %j', (written, text) => {
  expect(unescaped(written)).toBe(text);
});

test('escaping and unescaping returns any text', () => {
  const text = fc.string({ unit: fc.constantFrom('_x0041_', '_x005F_', '_x41_', ' ', 'a') });
  fc.assert(
    fc.property(text, (written) => {
      expect(unescaped(escapedAsText(written))).toBe(written);
    }),
  );
});
