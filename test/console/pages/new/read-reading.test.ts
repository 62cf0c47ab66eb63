import { describe, expect, test } from 'vitest';
import { readReading, saysOtherwise, typedReading } from '../../../../src/console/pages/new/read-reading.ts';
import type { PortfolioDraft } from '../../../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../../../src/portfolio/preview.ts';
import type { ReadOptions } from '../../../../src/portfolio/read-options.ts';

const columns = [
  { index: 0, written: 'Firma', known: 'name', by: 'alias' },
  { index: 1, written: 'Wunsch', known: null, by: null },
];
// Keeping a column as it is can cause a fault of the reading, although nobody typed anything.
const preview = { columns, faults: ['No column is the limit.'], fileWarnings: [] } as unknown as Preview;
const ofText = {
  headerLine: '',
  encoding: '',
  delimiter: '',
  decimal: '',
  dates: '',
  'column-0': 'name',
  'column-1': '',
};
const ofSheet = { headerLine: '', sheet: '', decimal: '', dates: '' };
const draft = (reading: ReadOptions) => ({ portfolio: 'q4', reading }) as PortfolioDraft;

test('an impossible header line is refused, and the other typed fields are kept', () => {
  const typed = { ...ofText, headerLine: 'one', decimal: ',', 'constant-name-0': 'city', 'constant-value-0': 'Ulm' };
  expect(() => readReading(typed, draft({}), preview)).toThrow('is no line');
  const { decimal, mapping } = typedReading(typed, draft({}), preview);
  expect({ decimal, constants: mapping?.constants }).toEqual({ decimal: ',', constants: { city: 'Ulm' } });
});

test('a typed path is stored, and a path that cannot be sent is refused', () => {
  const typed = (path: string) =>
    readReading({ ...ofText, 'path-1': path }, draft({}), preview).mapping?.columns.Wunsch;
  expect(typed(' company.zip:number ')).toBe('company.zip:number');
  expect(() => typed('company.id')).toThrow('write company_id in place of the path');
});

test('another sheet resets the reading of the previous sheet, and keeps what is chosen in the same step', () => {
  const reading = {
    sheet: 'Cover',
    headerLine: 3,
    decimal: ',' as const,
    sameBuyer: [4],
    mapping: { columns: { Firma: 'name' as const }, constants: {} },
  };
  const typed = {
    ...ofText,
    sheet: 'Buyers',
    headerLine: '3',
    decimal: ',',
    dates: 'dmy',
    hiddenRows: 'yes',
    'constant-name-0': 'city',
    'constant-value-0': 'Ulm',
  };
  expect(readReading(typed, draft(reading), preview)).toEqual({
    sheet: 'Buyers',
    dates: 'dmy',
    hiddenRows: true,
    mapping: { columns: {}, constants: { city: 'Ulm' } },
  });
  expect(readReading({ ...typed, headerLine: '5' }, draft(reading), preview)).toMatchObject({ headerLine: 5 });
});

test('another header line resets the columns, also those of the same step, and keeps everything else', () => {
  const reading = {
    decimal: ',' as const,
    mapping: { columns: { Firma: 'name' as const }, constants: { city: 'Ulm' } },
  };
  const asked = { ...preview, headerLine: 1 };
  const typed = (headerLine: string) => readReading({ ...ofText, headerLine, decimal: ',' }, draft(reading), asked);
  expect(typed('3')).toEqual({ headerLine: 3, decimal: ',', mapping: { columns: {}, constants: { city: 'Ulm' } } });
  expect(typed('1').mapping?.columns).toEqual({ Firma: 'name', Wunsch: null });
});

describe('saysOtherwise()', () => {
  test.each<[string, Record<string, string>, ReadOptions]>([
    ['without fields', {}, { decimal: ',' }],
    ['left unchanged', ofText, {}],
    ['with the current name', { portfolio: ' q4 ' }, {}],
    ['with a blank constant', { ...ofText, 'constant-name-0': '', 'constant-value-0': ' ' }, {}],
    ['with the current choices', { ...ofText, decimal: ',' }, { decimal: ',', hiddenRows: false, sameBuyer: [3] }],
    ['of a workbook, after a text file was read', ofSheet, { delimiter: ';', encoding: 'utf-8' }],
    ['of a text file, after a workbook was read', ofText, { sheet: 'Buyers', hiddenRows: true }],
  ])('a form %s changes nothing', (_what, fields, reading) => {
    expect(saysOtherwise(fields, draft(reading), preview)).toBe(false);
  });

  test.each<[string, Record<string, string>, ReadOptions]>([
    ['a name', { portfolio: 'q5' }, {}],
    ['a header line', { ...ofText, headerLine: '3' }, {}],
    ['a removed header line', ofText, { headerLine: 3 }],
    ['a column', { ...ofText, 'column-1': 'requested_limit' }, {}],
    ['a path', { ...ofText, 'path-1': 'company.zip' }, {}],
    ['an unmapped column', { ...ofText, 'column-0': '' }, {}],
    ['a delimiter', { ...ofText, delimiter: ';' }, {}],
    ['hidden rows', { ...ofSheet, hiddenRows: 'yes' }, {}],
    ['unselected hidden rows', ofSheet, { hiddenRows: true }],
    ['a constant', { ...ofText, 'constant-name-0': 'city', 'constant-value-0': 'Ulm' }, {}],
    [
      'a removed constant',
      { ...ofText, 'constant-name-0': '' },
      { mapping: { columns: {}, constants: { city: 'Ulm' } } },
    ],
  ])('a form that differs in %s is a change', (_what, fields, reading) => {
    expect(saysOtherwise(fields, draft(reading), preview)).toBe(true);
  });
});
