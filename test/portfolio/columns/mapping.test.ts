import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aliasOf, headerMeaningOf, namesOf } from '../../../src/portfolio/columns/aliases.ts';
import { KNOWN_COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { readMapArgs, readMapping, saveMapping } from '../../../src/portfolio/columns/mapping.ts';
import { GUESSES } from '../../../src/portfolio/columns/names/guesses.ts';
import { type HeaderRules, readHeader } from '../../../src/portfolio/columns/read-header.ts';
import { readOptionsSchema } from '../../../src/portfolio/read-options.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const understand = (cells: string[], rules: Partial<HeaderRules> = {}) =>
  readHeader({ line: 1, cells, fault: null }, { needed: [], ...rules });

const known = (cells: string[], rules: Partial<HeaderRules> = {}) =>
  understand(cells, rules).columns.map((column) => column.known);

describe('aliases', () => {
  test('belong to one column each', () => {
    for (const column of KNOWN_COLUMNS)
      for (const name of namesOf(column)) expect([name, aliasOf(name)]).toEqual([name, column]);
    for (const name of Object.keys(GUESSES)) expect([name, aliasOf(name)]).toEqual([name, undefined]);
  });

  test.each([
    [
      ['Firma', 'Land', 'STRASSE', 'Handelsregister-Nummer'],
      ['name', 'country_code', 'street', 'company_registration_number'],
    ],
    [
      ['Raison sociale', 'Pays', 'Ville', 'Limite demandée'],
      ['name', 'country_code', 'city', 'requested_limit'],
    ],
    [
      ['Razon Social', 'País', 'Límite solicitado'],
      ['name', 'country_code', 'requested_limit'],
    ],
    [
      ['Company', 'Country', 'Credit Limit', 'E-Mail'],
      ['name', 'country_code', 'requested_limit', 'contact_email'],
    ],
  ])('are recognised in %j', (cells, columns) => {
    expect(known(cells)).toEqual(columns);
  });

  test('of the same column that appear twice are a problem, and neither is used', () => {
    const { columns, problems } = understand(['Firma', 'Käufer'], { needed: ['name'] });
    expect(columns.map((column) => [column.known, column.guess])).toEqual([
      [null, 'name'],
      [null, 'name'],
    ]);
    // To propose one of them would be to guess: Debitor beside Firma has numbers of customers.
    const question = 'Firma or Käufer may be meant: say with --map "HEADER=name" which column it is.';
    expect(problems.map((one) => one.message)).toEqual([expect.stringContaining(question)]);
  });

  test("are ignored if the column's own name is there", () => {
    expect(known(['Firma', 'name'])).toEqual([null, 'name']);
  });
});

test('a guessed column is proposed and not used', () => {
  expect(headerMeaningOf('Betrag')).toMatchObject({ known: null, guess: 'requested_limit' });
  const { columns, warnings, problems } = understand(['name', 'Betrag'], { needed: ['name', 'requested_limit'] });
  expect(columns[1]?.known).toBeNull();
  expect(warnings).toEqual([expect.objectContaining({ column: 'Betrag', message: expect.stringContaining('--map') })]);
  expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('Betrag may be meant') })]);
});

describe('a path', () => {
  const columns = { PLZ: 'company.address.postal_code', Telefon: 'buyer_limit.contact.phone' } as const;

  test('is read from --map and from a mapping file, and saved into one', async () => {
    const { dir } = await makeTemporaryFolder();
    const mapping = await readMapArgs(['PLZ=company.address.postal_code:text', 'Telefon=buyer_limit.contact.phone']);
    expect({ ...mapping?.columns }).toEqual(columns);
    const { columns: read } = understand(['name', 'PLZ', 'Telefon'], { columns });
    expect(read.map(({ known, extra, by }) => [known, extra, by])).toEqual([
      ['name', undefined, 'name'],
      [null, 'company.address.postal_code', 'map'],
      [null, 'buyer_limit.contact.phone', 'map'],
    ]);
    await saveMapping(join(dir, 'map.json'), read, {});
    expect({ ...(await readMapping(join(dir, 'map.json'))).columns }).toEqual({ name: 'name', ...columns });
  });

  test.each([
    'company.id',
    'company',
    'contact',
    '__proto__',
    'constructor',
    'a.__proto__.b',
    'company.__proto__',
    'company.a.__proto__.b',
    'company.constructor',
    'buyer_limit.requested_limit',
  ])('%s is refused on the command line and in a mapping file', async (path) => {
    const { write } = await makeTemporaryFolder();
    await expect(readMapArgs([`PLZ=${path}`])).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(path),
    });
    const file = await write('map.json', JSON.stringify({ columns: { PLZ: path } }));
    await expect(readMapping(file)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('PLZ') });
  });

  test("for two columns, or inside another column's path, is a problem of the file", () => {
    const same = { PLZ: 'company.zip', ZIP: 'company.zip:number' } as const;
    expect(understand(['name', 'PLZ', 'ZIP'], { columns: same }).problems).toEqual([
      expect.objectContaining({ column: 'ZIP', message: expect.stringContaining('a request cannot hold both fields') }),
    ]);
    expect(understand(['name', 'PLZ', 'PLZ'], { columns: same }).problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('two columns as company.zip'),
    );
    const nested = { PLZ: 'company.zip', ZIP: 'company.zip.code' } as const;
    expect(understand(['name', 'PLZ', 'ZIP'], { columns: nested }).problems).toHaveLength(1);
  });

  test('is a valid header only in an errors file', () => {
    const header = ['name', 'company.zip:text'];
    expect(understand(header).columns[1]).toMatchObject({ known: null, by: null });
    const errors = understand([...header, 'row', 'limitline_line', 'problem', 'limitline_account', 'limitline_from']);
    expect(errors.columns[1]).toMatchObject({ known: null, extra: 'company.zip', by: 'name' });
  });
});

describe('a mapping', () => {
  test('overrides names and aliases, and can ignore a column', () => {
    const columns = { Betrag: 'requested_limit', Firma: null, Kunde: 'name' } as const;
    expect(known(['Betrag', 'Firma', 'Kunde'], { columns })).toEqual(['requested_limit', null, 'name']);
  });

  test('matches headers without regard to case and signs, but an exact match first', () => {
    const columns = { Vorgang: 'request_reference', 'Kunden-Straße': 'street' } as const;
    const { columns: found, problems } = understand(['VORGANG', 'kunden strasse'], { columns });
    expect(found.map(({ known, by }) => [known, by])).toEqual([
      ['request_reference', 'map'],
      ['street', 'map'],
    ]);
    expect(problems).toEqual([]);
    expect(known(['VORGANG', 'Vorgang'], { columns: { Vorgang: 'request_reference' } })).toEqual([
      null,
      'request_reference',
    ]);
    // Names of signs only would be equal without their signs, so they are compared exactly.
    expect(known(['%', '#'], { columns: { '%': 'city', '#': null } })).toEqual(['city', null]);
  });

  // Promise: mapped-header-must-exist
  test("with a header that the file lacks is a problem that lists the file's headers", () => {
    const columns = { Vorgang: 'request_reference', vorgang: 'buyer_reference', Firma: 'name' } as const;
    expect(understand(['Firma', 'Kennung', ''], { columns }).problems).toEqual([
      {
        line: 1,
        column: 'Vorgang',
        value: 'Firma,Kennung,',
        message: expect.stringMatching(
          /says that Vorgang is request_reference, .*no such name\. Its names are Firma, Kennung\./,
        ),
      },
      expect.objectContaining({ column: 'vorgang' }),
    ]);
    // Two similar entries cannot both match one header.
    const { problems } = understand(['Firma', 'VORGANG'], { columns });
    expect(problems).toMatchObject([{ column: 'vorgang' }]);
  });

  test('is satisfied if the file has the column under its own name, as an errors file does', () => {
    const columns = { Vorgang: 'request_reference' } as const;
    expect(understand(['name', 'request_reference'], { columns })).toMatchObject({ problems: [], warnings: [] });
  });

  test('that ignores a column which the file lacks is a warning', () => {
    const { problems, warnings } = understand(['name'], { columns: { Notiz: null } });
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ column: 'Notiz', message: expect.stringContaining('no such name') }]);
  });

  test('can give a constant for every line, and then the file must not have that column', () => {
    const rules = { needed: ['country_code'], constants: { country_code: 'GB' } };
    expect(understand(['name'], rules).problems).toEqual([]);
    expect(understand(['Land'], rules).problems).toEqual([
      expect.objectContaining({ column: 'Land', message: expect.stringContaining('for every line') }),
    ]);
  });

  test('is saved as it was understood, and read back equal', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = join(dir, 'map.json');
    await saveMapping(path, understand(['Firma', 'Betrag', 'Notiz']).columns, { country_code: 'GB' });
    expect(await readMapping(path)).toEqual({
      columns: { Firma: 'name', Betrag: null, Notiz: null },
      constants: { country_code: 'GB' },
      guesses: { Betrag: 'requested_limit' },
    });
    expect(await readFile(path, 'utf8')).toMatch(/\n$/);
  });

  test('may contain names of JavaScript object properties', async () => {
    const { dir, write } = await makeTemporaryFolder();
    const path = await write('map.json', '{"columns": {"__proto__": "name", "constructor": "requested_limit"}}');
    const { columns } = await readMapping(path);
    expect(known(['__proto__', 'constructor', 'toString'], { columns })).toEqual(['name', 'requested_limit', null]);
    // The mapping is stored as JSON with an import, and read again.
    const kept = readOptionsSchema.parse(JSON.parse(JSON.stringify({ mapping: { columns } })));
    expect(known(['__proto__'], { columns: kept.mapping?.columns ?? {} })).toEqual(['name']);
    const saved = join(dir, 'saved.json');
    await saveMapping(saved, understand(['__proto__', 'toString'], { columns }).columns, {});
    expect(JSON.parse(await readFile(saved, 'utf8')).columns).toEqual(
      JSON.parse('{"__proto__": "name", "toString": null}'),
    );
    expect(Object.entries((await readMapping(saved)).columns)).toEqual([
      ['__proto__', 'name'],
      ['toString', null],
    ]);
  });

  test.each([
    ['{', 'it is not JSON'],
    ['{"columns": {"Firma": "nmae"}}', 'columns.Firma'],
    ['{"columns": {"__proto__": "nmae"}}', 'columns.__proto__'],
    ['{"columns": []}', 'columns'],
    ['{"guesses": {"Betrag": 7}}', 'guesses.Betrag'],
    ['{"constants": {"country_code": ""}}', 'constants.country_code'],
    ['{"colums": {}}', 'colums'],
  ])('%s is refused with a reason', async (content, reason) => {
    const { write } = await makeTemporaryFolder();
    const path = await write('map.json', content);
    await expect(readMapping(path)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(reason) });
  });
});

describe('the arguments of --map', () => {
  test('map single headers, and override mapping files', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write(
      'map.json',
      '{"columns": {"Kunde": "name", "Wert": "name"}, "constants": {"country_code": "DE"}}',
    );
    expect(await readMapArgs([path, 'Wert=requested_limit', 'a=b=Contact E-Mail', 'Notiz=', '__proto__=-'])).toEqual({
      columns: Object.fromEntries([
        ['Kunde', 'name'],
        ['Wert', 'requested_limit'],
        ['a=b', 'contact_email'],
        ['Notiz', null],
        ['__proto__', null],
      ]),
      constants: { country_code: 'DE' },
    });
    expect(await readMapArgs([])).toBeUndefined();
  });

  test('are a file if one with that name exists', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write('q=4.json', '{"columns": {"Kunde": "name"}}');
    expect((await readMapArgs([path]))?.columns).toEqual({ Kunde: 'name' });
  });

  test.each([
    [['Kunde=nmae'], 'USAGE', 'names an unknown column'],
    [['=name'], 'USAGE', 'has no head'],
    [['Kunde=name', 'Kunde=city'], 'USAGE', 'two things about "Kunde"'],
    [['none.json'], 'FILE', 'none.json'],
  ])('are refused: %j', async (args, code, message) => {
    await expect(readMapArgs(args)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
