import { describe, expect, test } from 'vitest';
import { readMapArgs } from '../../../src/portfolio/columns/mapping.ts';
import { referenceOf } from '../../../src/portfolio/identity/identity.ts';
import { type Formatted, read, readWorkbook, told, writeFormatted } from '../../support/workbooks.ts';

const HEADER = ['name', 'requested_limit', 'request_reference', 'note'];

const readRows = (...rows: (string | Formatted)[][]) => readWorkbook((path) => writeFormatted(path, HEADER, rows));

describe('a number that a workbook shows in another form', () => {
  // Promise: number-formats-refused
  test('is a problem with both forms in columns that are read, and remains one in a text file', async () => {
    const { lines } = await readRows(
      ['Acme', { value: '50', code: '#,##0",000"' }, 'A', ''],
      ['Beta', { value: '0.5', code: '0%' }, 'B', ''],
      ['Gamma', '50', { value: '4711', code: '"HRB "0' }, ''],
      ['Delta', '50', { value: '12345678', code: '000000000_)' }, ''],
      ['Eps', { value: '61', code: '0,000' }, 'E', { value: '0.5', code: '0%' }],
    );
    expect(told(lines)).toEqual([
      expect.stringMatching(/^2 requested_limit: The sheet shows something else than the number/),
      expect.stringMatching(/^3 requested_limit: The sheet shows/),
      expect.stringMatching(/^4 request_reference: The sheet shows/),
      expect.stringMatching(/^5 request_reference: The sheet shows/),
    ]);
    expect(lines.map(({ cells }) => cells.slice(1))).toEqual([
      ['50 (shown as 50,000)', 'A'],
      ['0.5 (shown as 50%)', 'B'],
      ['50', '4711 (shown as HRB 4711)'],
      ['50', '12345678 (shown as 012345678)'],
      ['61', 'E', '0.5'],
    ]);
    const text = [HEADER, ...lines.map(({ cells }) => [...cells, ''].slice(0, 4))].map((cells) => cells.join(';'));
    const again = await read(`${text.join('\n')}\n`);
    expect(again.lines.map(({ kind }) => kind)).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'row']);
  });

  // Promise: shown-postal-codes-taken
  test('is read as shown in a mapped text column if the format only groups digits, and unchanged in other columns', async () => {
    const rows = ['00000\\-0000', '000\\ 00', '"No. "0'].map((code, n) => {
      const cell = { value: n === 1 ? '1001' : '123456789', code };
      return [`Acme ${n}`, '50', cell, cell];
    });
    const header = ['name', 'requested_limit', 'ZIP', 'note'];
    const mapping = await readMapArgs(['ZIP=company.address.postal_code']);
    const { lines } = await readWorkbook((path) => writeFormatted(path, header, rows), { mapping });
    expect(lines.map(({ cells }) => cells.slice(2))).toEqual([
      ['12345-6789', '123456789'],
      ['010 01', '1001'],
      ['123456789 (shown as No. 123456789)', '123456789'],
    ]);
    expect(told(lines)).toEqual([expect.stringMatching(/^4 ZIP: The sheet shows something else/)]);
  });

  // Promise: number-formats-refused
  test('is a problem in a reference of more than 15 digits, so that no two references become equal', async () => {
    const { lines } = await readRows(
      ['Acme', '5000', { value: '1234567890123451', code: '0' }],
      ['Acme', '5000', { value: '1234567890123454', code: '0' }],
      ['Acme', '5000', { value: '123456789012345', code: '0' }],
      ['Acme', { value: '0.30000000000000004', code: '0' }, { value: '1.1000000000000001', code: '0.0' }],
    );
    expect(lines).toMatchObject([
      { kind: 'invalid', problems: [{ value: '1234567890123451 (shown as 1.23456789012345E+15)' }] },
      { kind: 'invalid', problems: [{ value: '1234567890123454 (shown as 1.23456789012345E+15)' }] },
      { kind: 'row', cells: ['Acme', '5000', '123456789012345'] },
      { kind: 'row', cells: ['Acme', '0.3', '1.1'] },
    ]);
  });
});

// Promise: dates-are-no-references
test('a reference or number that the spreadsheet made a date is a problem, and remains one in a text file', async () => {
  const header = ['name', 'requested_limit', 'buyer_reference', 'statements_dated', 'note'];
  const date = { value: '45994', code: 'dd.mm.yyyy' };
  const { lines } = await readWorkbook((path) =>
    writeFormatted(path, header, [
      ['Acme', '50', date, date, date],
      ['Beta', '50', 'B 3-12', date, date],
      ['Gamma', '50', { ...date, value: '12345678' }, date, date],
    ]),
  );
  const message =
    'The sheet shows something else than the number that the cell holds: format the cell as text, and type what is meant.';
  expect(told(lines)).toEqual([`2 buyer_reference: ${message}`, `4 buyer_reference: ${message}`]);
  expect(lines[0]?.cells.slice(2)).toEqual(['2025-12-03 (shown as a date)', '2025-12-03', '2025-12-03']);
  const again = await read(`${[header, lines[0]?.cells ?? []].map((cells) => cells.join(';')).join('\n')}\n`);
  expect(again.lines.map(({ kind }) => kind)).toEqual(['invalid']);
});

// Promise: database-nulls-are-empty
test.each(['\\N', 'NULL', '(null)', '[NULL]', '<null>', 'NaN'])(
  '%s, as databases write a missing value, is an empty cell in each column, and no name',
  async (missing) => {
    const header = 'name,requested_limit,city,country_code,contact_email,buyer_reference';
    const rest = [missing, missing, missing, missing].join(',');
    const { lines } = await read(`${header}\nAcme,5,${rest}\nBeta,6,${rest}\n${missing},7,,,,B7\nNull AG,8,,,,B8\n`);
    expect(lines).toMatchObject([
      { kind: 'row', row: { company: { name: 'Acme', address: { state: null } } }, changed: { length: 4 } },
      { kind: 'row', row: { company: { name: 'Beta', address: { state: null } } } },
      { kind: 'invalid', problems: [{ column: 'name', message: expect.stringContaining('only a placeholder') }] },
      { kind: 'row', row: { company: { name: 'Null AG' } } },
    ]);
    const [first] = lines;
    expect(first?.kind === 'row' && first.row.company.address).toEqual({ state: null });
  },
);

test('a text that a program wrote as a formula, to keep its zeros, is read without the formula', async () => {
  const { lines } = await read(
    'name,requested_limit,request_reference\n"=""Acme, Inc.""","=""5000""","=""000123"""\nBeta,6,="000124"\n',
  );
  // Else a request of an earlier version, which read the whole cell, would be made again.
  const { request: formerKey } = referenceOf('="000123"');
  expect(lines).toMatchObject([
    { kind: 'row', row: { name: 'Acme, Inc.', limit: { requested_limit: '5000' }, formerKey } },
    { kind: 'row' },
  ]);
  // So it stands in a results file of that version.
  const results = await read(`name,requested_limit,request_reference\nAcme,5,"'=""000123"""\n`);
  expect(results.lines).toMatchObject([{ kind: 'row', row: { reference: '000123', formerKey } }]);
  expect(lines[0]?.changed.map(({ became }) => became)).toEqual(['Acme, Inc.', '5000', '000123']);
});

test('a request that an earlier version knows by the reference \\N keeps its key, so that it is not made again', async () => {
  const { lines } = await read('name,requested_limit,request_reference\nAcme,5,\\N\nBeta,6,R1\n');
  const { request: formerKey } = referenceOf('\\N');
  expect(lines).toMatchObject([{ kind: 'row', row: { formerKey } }, { kind: 'row' }]);
  expect(lines[1]?.kind === 'row' && lines[1].row.formerKey).toBeUndefined();
});
