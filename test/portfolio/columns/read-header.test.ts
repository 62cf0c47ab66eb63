import { describe, expect, test } from 'vitest';
import { KNOWN_COLUMNS, plainName } from '../../../src/portfolio/columns/known-columns.ts';
import { readHeader } from '../../../src/portfolio/columns/read-header.ts';
import { ERROR_COLUMNS } from '../../../src/portfolio/columns/result-columns.ts';
import { DELIMITERS } from '../../../src/table/dialect.ts';
import { read } from '../../support/workbooks.ts';

const header = (...cells: string[]) => ({ line: 1, cells, fault: null });

describe('plainName', () => {
  test.each([
    ['Name', 'name'],
    [' COUNTRY CODE ', 'country_code'],
    ['country-code', 'country_code'],
    ['Country\u00a0Code', 'country_code'],
    ['address.city', 'city'],
    ['Address.Country Code', 'country_code'],
    ['address.state', 'state'],
    ['contact.email', 'contact_email'],
    ['Contact.First-Name', 'contact_first_name'],
    ['company.name', 'name'],
    ['Company.Address.Country Code', 'country_code'],
    ['buyer_limit.requested_limit', 'requested_limit'],
    ['buyer-limit.contact.email', 'contact_email'],
    ['buyer_limit.company', 'buyer_limit.company'],
    ['company.state', 'company.state'],
    ['buyer_limit.name', 'buyer_limit.name'],
    // The service has no such fields, so the dot is ignored or kept in the name.
    ['address.website', 'website'],
    ['contact.name', 'contact.name'],
    ['Account Manager', 'account_manager'],
  ])('reads %j as %s', (written, name) => {
    expect(plainName(written)).toBe(name);
  });
});

describe('readHeader', () => {
  test('recognises all columns in any order and keeps the others', () => {
    const { columns, problems } = readHeader(header(...KNOWN_COLUMNS.toReversed(), 'Our Note'), { needed: ['name'] });
    expect(problems).toEqual([]);
    expect(columns.map((column) => column.known)).toEqual([...KNOWN_COLUMNS.toReversed(), null]);
    expect(columns.at(-1)).toMatchObject({
      index: KNOWN_COLUMNS.length,
      written: 'Our Note',
      known: null,
      needed: false,
    });
    expect(columns.filter((column) => column.needed).map((column) => column.known)).toEqual(['name']);
  });

  test("reports every missing needed column, also the team's own", () => {
    const { problems } = readHeader(header('Name', 'city'), { needed: ['name', 'requested_limit', 'Cost Centre'] });
    expect(problems).toEqual([
      { line: 1, column: 'requested_limit', value: 'Name,city', message: expect.stringContaining('is needed') },
      { line: 1, column: 'cost_centre', value: 'Name,city', message: expect.stringContaining('is needed') },
    ]);
  });

  test('reports once that a line of data is not a header, and explains what to do', () => {
    const { problems } = readHeader(header('Acme GmbH', 'DE', '1000'), { needed: ['name', 'requested_limit'] });
    expect(problems).toEqual([
      {
        line: 1,
        column: null,
        value: 'Acme GmbH,DE,1000',
        message: expect.stringContaining('(name, requested_limit)'),
      },
    ]);
    expect(problems[0]?.message).toMatch(/add a line .*--header-line N.*--map "HEADER=name".*for requested_limit\.$/);
    // A mapping of one of its names shows that the line is a header.
    const told = { needed: ['name', 'requested_limit'], columns: { DE: null } };
    expect(readHeader(header('Acme GmbH', 'DE', '1000'), told).problems).toHaveLength(2);
    expect(readHeader(header('Acme GmbH', 'DE', '1000'), { needed: [] }).problems).toEqual([]);
  });

  test('quotes the header with the delimiter of the file', () => {
    const { problems } = readHeader(header('Name', 'city'), { needed: ['requested_limit'], delimiter: ';' });
    expect(problems).toEqual([expect.objectContaining({ column: 'requested_limit', value: 'Name;city' })]);
  });

  test('reports REQUIRED_COLUMNS as the reason for an unknown needed column, and lists the known ones', () => {
    const { problems } = readHeader(header('Name', 'note'), { needed: ['name', 'contcat_email'] });
    expect(problems.map((one) => one.message)).toEqual([
      expect.stringMatching(
        / The setting REQUIRED_COLUMNS asks for it: add it, or .* are name, .*, contact_email, .*\.$/,
      ),
    ]);
  });

  test('finds a column of REQUIRED_COLUMNS by the name that the header has, also where that means a known column', () => {
    const told = { needed: ['name', 'Kunden Nr'], columns: { Firma: 'name' as const } };
    const { columns, problems } = readHeader(header('Firma', 'Kunden Nr', 'note'), told);
    expect(problems).toEqual([]);
    expect(columns.map(({ known, needed }) => [known, needed])).toEqual([
      ['name', true],
      ['buyer_reference', true],
      [null, false],
    ]);
  });

  test('reports equal column names that --map cannot tell apart', () => {
    const { problems } = readHeader(header('name', 'Limit', ' Limit', 'limit'), { needed: ['requested_limit'] });
    expect(problems.map((one) => one.message)).toEqual([
      expect.stringMatching(
        / Columns 2 and 3 have the same name, Limit, and any of them may be meant: rename or remove/,
      ),
    ]);
  });

  test('reports a column that appears twice, in any spelling', () => {
    const { problems } = readHeader(header('name', 'city', 'Address.City', 'note', 'note'), { needed: ['name'] });
    expect(problems).toEqual([
      expect.objectContaining({ column: 'Address.City', message: expect.stringContaining('columns 2 and 3') }),
    ]);
  });

  test('accepts a name on two lines, but not one that contains lines of the file', () => {
    expect(readHeader(header('name', 'requested\nlimit'), { needed: ['requested_limit'] }).problems).toEqual([]);
    const { problems } = readHeader(header('name', 'note\nAcme,1,x'), { needed: ['name'] });
    expect(problems.map((one) => one.message)).toEqual([expect.stringContaining('holds whole lines')]);
  });

  test.each(DELIMITERS)('refuses a name that contains lines separated by %j', async (delimiter) => {
    const lines = ['name|requested_limit|"note', 'Acme|100|x', 'Beta|200|y"', 'Gamma|300|z', ''];
    const { problems } = await read(lines.join('\n').replaceAll('|', delimiter));
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('holds whole lines') })]);
  });
});

test.each([
  ["without a type, as an earlier version wrote it, is the team's own column", 'company.note', undefined],
  ['with a type is sent', 'company.note:text', 'company.note'],
  ["with an unknown type is the team's own column", 'company.note:memo', undefined],
  ["of a known field is the team's own column", 'company.name:text', undefined],
])('a path in the header of an errors file: %s', (_what, name, extra) => {
  const cells = ['name', 'requested_limit', name, ...ERROR_COLUMNS];
  const { columns, problems } = readHeader(header(...cells), { needed: [] });
  expect([columns[2]?.extra, problems]).toEqual([extra, []]);
  // In any other file it is the team's own column.
  expect(readHeader(header(...cells.slice(0, 3)), { needed: [] }).columns[2]?.extra).toBe(undefined);
});
