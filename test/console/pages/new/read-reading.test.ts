import { describe, expect, test } from 'vitest';
import { readReading, saysOtherwise, typedReading } from '../../../../src/console/pages/new/read-reading.ts';
import type { PortfolioDraft } from '../../../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../../../src/portfolio/preview.ts';
import type { ReadOptions } from '../../../../src/portfolio/read-options.ts';

const columns = [
  { index: 0, written: 'Firma', known: 'name', by: 'alias' },
  { index: 1, written: 'Wunsch', known: null, by: null },
];
// What a reading is asked for with a fault: leaving a column as it is says so, but is nothing that was typed.
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

test('a line of the header that cannot be leaves what else was typed', () => {
  const typed = { ...ofText, headerLine: 'one', decimal: ',', 'constant-name-0': 'city', 'constant-value-0': 'Ulm' };
  expect(() => readReading(typed, draft({}), preview)).toThrow('is no line');
  const { decimal, mapping } = typedReading(typed, draft({}), preview);
  expect({ decimal, constants: mapping?.constants }).toEqual({ decimal: ',', constants: { city: 'Ulm' } });
});

test('a path that is typed is sent, and one that cannot be sent is refused', () => {
  const typed = (path: string) =>
    readReading({ ...ofText, 'path-1': path }, draft({}), preview).mapping?.columns.Wunsch;
  expect(typed(' company.zip:number ')).toBe('company.zip:number');
  expect(() => typed('company.id')).toThrow('write company_id in place of the path');
});

test('another sheet forgets what was said of the one before, but not what is said in the same step', () => {
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

test('another line of the header forgets what was said of columns, also in the same step, and nothing else', () => {
  const reading = {
    decimal: ',' as const,
    mapping: { columns: { Firma: 'name' as const }, constants: { city: 'Ulm' } },
  };
  const asked = { ...preview, headerLine: 1 };
  const typed = (headerLine: string) => readReading({ ...ofText, headerLine, decimal: ',' }, draft(reading), asked);
  expect(typed('3')).toEqual({ headerLine: 3, decimal: ',', mapping: { columns: {}, constants: { city: 'Ulm' } } });
  expect(typed('1').mapping?.columns).toEqual({ Firma: 'name', Wunsch: null });
});

describe('a form of a draft', () => {
  test.each<[string, Record<string, string>, ReadOptions]>([
    ['without fields', {}, { decimal: ',' }],
    ['left as it is', ofText, {}],
    ['with the name that it has', { portfolio: ' q4 ' }, {}],
    ['with blanks for a constant', { ...ofText, 'constant-name-0': '', 'constant-value-0': ' ' }, {}],
    ['with what is kept', { ...ofText, decimal: ',' }, { decimal: ',', hiddenRows: false, sameBuyer: [3] }],
    ['of a workbook that is read as a text was', ofSheet, { delimiter: ';', encoding: 'utf-8' }],
    ['of a text that is read as a workbook was', ofText, { sheet: 'Buyers', hiddenRows: true }],
  ])('%s says nothing else', (_what, fields, reading) => {
    expect(saysOtherwise(fields, draft(reading), preview)).toBe(false);
  });

  test.each<[string, Record<string, string>, ReadOptions]>([
    ['a name', { portfolio: 'q5' }, {}],
    ['a header', { ...ofText, headerLine: '3' }, {}],
    ['a header taken back', ofText, { headerLine: 3 }],
    ['a column', { ...ofText, 'column-1': 'requested_limit' }, {}],
    ['a path', { ...ofText, 'path-1': 'company.zip' }, {}],
    ['a column that is not sent', { ...ofText, 'column-0': '' }, {}],
    ['a delimiter', { ...ofText, delimiter: ';' }, {}],
    ['hidden rows', { ...ofSheet, hiddenRows: 'yes' }, {}],
    ['hidden rows taken back', ofSheet, { hiddenRows: true }],
    ['a constant', { ...ofText, 'constant-name-0': 'city', 'constant-value-0': 'Ulm' }, {}],
    [
      'a constant taken back',
      { ...ofText, 'constant-name-0': '' },
      { mapping: { columns: {}, constants: { city: 'Ulm' } } },
    ],
  ])('with another choice of %s says so', (_what, fields, reading) => {
    expect(saysOtherwise(fields, draft(reading), preview)).toBe(true);
  });
});
