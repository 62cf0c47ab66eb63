import { describe, expect, test } from 'vitest';
import { thousandsIn } from '../../../src/portfolio/columns/header-doubts.ts';
import { read, readWorkbook, rowOf, writeSheets } from '../../support/workbooks.ts';

/** The problems and warnings of a file, and the names of its rows. */
async function told(content: string, options: Parameters<typeof read>[1] = {}) {
  const { problems, warnings, lines } = await read(content, options);
  return {
    problems: problems.map(({ message }) => message),
    warnings: warnings.flatMap(({ column, message }) => (message.includes('may be meant') ? [column] : [])),
    rows: lines.map((line) => (line.kind === 'row' ? line.row.name : line.kind)),
  };
}

const mapped = (columns: Record<string, 'name' | 'requested_limit' | null>) => ({
  mapping: { columns, constants: {} },
});

describe('a column called name beside a column that means the name', () => {
  // Promise: unclear-column-is-a-fault
  test.each([
    'Firma;Vorname;Name;Kreditlimit\nAcme GmbH;Anna;Müller;1\n',
    'Company;Contact;Name;Limit\nAcme GmbH;;Müller;1\n',
    'Name;First Name;Company Name;Limit\nMüller;John;Acme GmbH;1\n',
  ])('is a problem of the file, and a --map of either column corrects it: %j', async (content) => {
    const [other = ''] = /Firma|Company Name|Company/.exec(content) ?? [];
    const { problems, rows } = await told(content);
    expect(problems).toEqual([expect.stringContaining(`${other} and Name may both be the buyer's name`)]);
    expect(problems[0]).toContain(`--map "Name=" if it is ${other}, or --map "${other}=" if it is Name`);
    expect(rows).toEqual([]);
    expect(await told(content, mapped({ Name: null }))).toMatchObject({ problems: [], rows: ['Acme GmbH'] });
    expect(await told(content, mapped({ [other]: null }))).toMatchObject({ problems: [], rows: ['Müller'] });
    const { problems: twice } = await told(content, mapped({ [other]: 'name' }));
    expect(twice).toEqual([expect.stringContaining('say --map "Name=" if that one is not meant')]);
  });

  test('is reported with a warning only, if another column is given twice and one has the exact name', async () => {
    const content =
      'name,city,Ort,requested_limit,Limit,Credit limit,Amount\nAcme,Ulm,Bonn,1,2,3,4\nBeta,,Ulm,1,2,3,4\n';
    expect(await told(content)).toEqual({
      problems: [],
      warnings: ['Ort', 'Limit', 'Credit limit'],
      rows: ['Acme', 'Beta'],
    });
  });
});

// Promise: unclear-column-is-a-fault
test.each(['Limit neu', 'gewünschtes Limit', 'New limit', 'Limit new', 'neue Kreditlimite'])(
  'the limit of today beside the wanted one is a problem of the file, which says --map: %s',
  async (wanted) => {
    const { problems, rows } = await told(`Firma;Kreditlimit;${wanted}\nAcme GmbH;1;2\n`);
    expect(problems).toEqual([
      expect.stringContaining(`Kreditlimit or ${wanted} may be meant: say with --map "HEADER=requested_limit"`),
    ]);
    expect(rows).toEqual([]);
  },
);

// Promise: unclear-column-is-a-fault
test.each([
  ['Kreditlimite', 'Kreditlimite neu'],
  ['Kreditlimite', 'gewünschte Limite'],
  ['Fido', 'Nuovo limite di credito'],
  ['Límite de crédito', 'Novo limite'],
  ['Limiet', 'Nieuw limiet'],
  ['Kreditgräns', 'Ny kreditgräns'],
  ['Kreditmaksimum', 'Ønsket kreditmaksimum'],
  ['Luottoraja', 'Uusi luottoraja'],
  ['Limit kredytowy', 'Wnioskowany limit kredytowy'],
  ['Kreditní limit', 'Požadovaný limit'],
  ['Úverový limit', 'Nový úverový limit'],
  ['Hitelkeret', 'Új hitelkeret'],
  ['Kredi limiti', 'Yeni kredi limiti'],
])('so it is in other languages: %s and %s', async (today, wanted) => {
  const { problems, rows } = await told(`Firma;${today};${wanted}\nAcme;1;2\n`);
  expect(problems).toEqual([expect.stringContaining(`${today} or ${wanted} may be meant`)]);
  expect(rows).toEqual([]);
});

test.each(['Limit old', 'Exposure', 'Saldo'])(
  'the wanted limit is taken beside one that certainly is another amount: %s',
  async (other) => {
    const { lines } = await read(`Company;${other};Limit new\nAcme GmbH;1;2\n`);
    expect(lines).toMatchObject([{ kind: 'row', row: { limit: { requested_limit: '2' } } }]);
  },
);

describe('a name that is split over two columns', () => {
  // Promise: unclear-column-is-a-fault
  test.each([
    ['KUNNR;NAME1;NAME2;KLIMK', 'NAME1', 'NAME2'],
    ['Kundennr;Name 1;Name 2;Kreditlimit', 'Name 1', 'Name 2'],
    ['Kundennr;Firma;Firma 2;Kreditlimit', 'Firma', 'Firma 2'],
  ])('is a problem of the file, so that its first part is not requested: %s', async (header, first, rest) => {
    const content = `${header}\n1;Stadtwerke;Ulm GmbH;1\n2;Stadtwerke;Essen AG;2\n`;
    const { problems, rows } = await told(content);
    expect(problems).toEqual([expect.stringContaining(`${first} may be meant, and ${rest} may hold the rest of it`)]);
    expect(rows).toEqual([]);
    expect(await told(content, mapped({ [first]: 'name' }))).toMatchObject({ problems: [] });
    expect(await told(content.replace(`;${rest};`, ';Ort;'))).toMatchObject({ problems: [] });
  });

  test('gets a warning if the first column is called "Name"', async () => {
    const { warnings } = await read('Name;Name 2;Limit\nStadtwerke;Ulm GmbH;1\n');
    expect(warnings).toContainEqual(
      expect.objectContaining({ column: 'Name 2', message: expect.stringContaining('rest of Name') }),
    );
  });
});

describe('a header in two rows', () => {
  // Promises: unclear-column-is-a-fault, header-line-is-named
  test.each([
    ['Firma;;;Limit;\nNr.;Name;Ort;Limit beantragt;Bemerkung\n10001;Acme;Ulm;1;x\n', 1, 2],
    ['Liste\nFirma;;;Kreditlimit;\nNr.;Name;Ort;beantragt;bewilligt\n10001;Acme;Ulm;1;2\n', 2, 3],
    ['Name;Limit;Ort\nOrt;Name;Limit\nUlm;Acme;1\n', 1, 2],
  ])('is a problem that proposes both header lines: %j', async (content, first, second) => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^Line ${second} .*--header-line ${second} or --header-line ${first}`)),
    ]);
    expect(rows).toEqual([]);
    const columns = { beantragt: 'requested_limit' } as const;
    const { rows: read } = await told(content, {
      headerLine: second,
      ...(content.includes(';beantragt;') && mapped(columns)),
    });
    expect(read).toEqual(['Acme']);
  });

  test.each([
    ['a line without an amount', 'Name;;Limit\nAcme;Notiz;\nBeta;;1\n', ['Beta']],
    ['a remark with an amount that cannot be read', 'Name;;Limit\nAcme;Notiz;offen\nBeta;;1\n', ['Beta']],
    ['a second header in another language', 'Name;Limit;Ort\nname;requested limit;city\nBeta;1;Ulm\n', ['Beta']],
  ])('is not reported for %s', async (_what, content, names) => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([]);
    expect(rows.filter((one) => one !== 'invalid')).toEqual(names);
  });
});

// Promise: second-table-not-requested
test('all lines of a second table with other columns are invalid, also with a mapping', async () => {
  const content = 'Wer;Limit;Ort\nA;1;Ulm\n\nNeu;;\nOrt;Limit;Wer\nUlm;2;B\nBonn;3;C\nWer;Limit;Ort\nD;4;Kiel\n';
  const { lines } = await read(content, mapped({ Wer: 'name' }));
  expect(lines.map(({ line, kind }) => [line, kind])).toEqual([
    [2, 'row'],
    ...[4, 5, 6, 7, 8].map((line) => [line, 'invalid']),
    [9, 'row'],
  ]);
  const words = lines.flatMap((line) => (line.kind === 'invalid' ? line.problems.map(({ message }) => message) : []));
  expect(words.slice(1, 3)).toEqual([
    expect.stringContaining('a header of other columns'),
    expect.stringContaining('below another header, on line 5'),
  ]);
});

describe('amounts in thousands', () => {
  // Promise: unclear-column-is-a-fault
  test.each([
    ['above the header', 'Limits Q4 (alle Beträge in TEUR);\n;\nName;Limit\nAcme;50\n', 'The text above the header'],
    ['below the header', 'Name;Limit\n;(in TEUR)\nAcme;50\n', 'The line below the header'],
  ])('are a problem of the file if they are announced %s', async (_where, content, words) => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems[0]).toContain('(TEUR)');
    expect(rows).toEqual([]);
  });

  // Promise: unclear-column-is-a-fault
  test('are a problem of the file if the name of its sheet announces them, unless a mapping names their column', async () => {
    const rows = `${rowOf(1, ['Name', 'Limit'])}${rowOf(2, ['Acme', '50'])}`;
    const write = (path: string) => writeSheets(path, [{ name: 'Limits in TEUR', rows }]);
    const { problems } = await readWorkbook(write);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("The sheet's name says that amounts are in thousands or millions (TEUR)"),
    ]);
    const { lines } = await readWorkbook(write, mapped({ Limit: 'requested_limit' }));
    expect(lines).toMatchObject([{ kind: 'row' }]);
  });

  test('are a problem of the note that announces them below the table, which the question before an import shows', async () => {
    const { lines, misstated } = await read('Name;Ort;Limit\nAcme;Ulm;50\n;;\nBeträge in TEUR;;\n');
    const message = expect.stringContaining('says that the amounts of the file are in thousands or millions (TEUR)');
    expect(lines[1]).toMatchObject({ kind: 'invalid', problems: [{ line: 4, message }] });
    expect(misstated).toEqual([expect.objectContaining({ line: 4, message })]);
  });

  test('are accepted if a mapping names their column', async () => {
    const content = 'Limits in TEUR\nName;Limit\nAcme;50000\n';
    expect(await told(content, mapped({ Limit: 'requested_limit' }))).toMatchObject({ problems: [], rows: ['Acme'] });
  });

  test.each([
    ['Debitoren in TEUR', 'TEUR'],
    ['Kreditlimits Q4 2026 (alle Beträge in T€)', 'T€'],
    ['Limits, k€', 'k€'],
    ['(Tsd. EUR)', 'Tsd. EUR'],
    ['Angaben in 1.000 EUR', '1.000 EUR'],
    ['All amounts in thousands of EUR', 'thousands of EUR'],
    ['Limits in thousands, Q4', 'thousands'],
    ['Montants en milliers d’euros', 'milliers d’euros'],
    ["Limits (EUR '000)", "EUR '000"],
    ['Beträge in Mio. €', 'Mio. €'],
    ['Alle Beträge in TEUR.', 'TEUR'],
    ['Währung:T€', 'T€'],
    ['Limits_TEUR', 'TEUR'],
    ['Limits, T-EUR', 'T-EUR'],
    ['USD mn', 'USD mn'],
    ['All amounts in €m', '€m'],
    ['EUR x 1000', 'EUR x 1000'],
    ['bedragen x € 1.000', '€ 1.000'],
    ['Amounts in lakhs', 'lakhs'],
    ['(Rs. in Crores)', 'Crores'],
    ['Valori in migliaia di euro', 'migliaia di euro'],
    ['Kwoty w tys. zł', 'tys. zł'],
    ['単位：千円', '千円'],
  ])('are recognised in %j', (text, words) => expect(thousandsIn(text)).toBe(words));

  test.each([
    'Kunden über 2 Mio. EUR',
    'Thousand Oaks Ltd',
    'Limits ab 1.000 EUR',
    'Kunden (1000)',
    'Stand: 31.12.2026, in EUR',
    'Limits in 2026',
    'T. Kaiser',
    'K. EUR',
    '50 TEUR',
    'Limites mars 2026',
    'Partner Kft',
    'Business number (BN)',
    'Customers USD A-M',
    '',
  ])('are not recognised in %j', (text) => expect(thousandsIn(text)).toBeNull());
});

// Promise: unclear-header-not-taken
test.each([
  'LIMIT_TEUR',
  'Limit in thousands',
  'Credit limit USD mn',
  'Limit (€m)',
  'Limit (x 1.000 EUR)',
  'Limit tkr',
])('a column of amounts in thousands or millions is no column of amounts: %s', async (column) => {
  const { problems, rows } = await told(`Name;${column}\nAcme;50\n`);
  expect(problems).toEqual([expect.stringContaining('its name says that its amounts are in thousands or millions')]);
  expect(rows).toEqual([]);
});

// Promise: unclear-header-not-taken
test('a column of percentages is not taken for the amounts', async () => {
  const { problems } = await told('Name;Limit %\nAcme;85\n');
  expect(problems).toEqual([expect.stringContaining('Limit % may be meant')]);
});

const TABLE = 'name;requested_limit;country_code;city\nDelta;4000;DE;Ulm\n';

describe('a list above the header', () => {
  // Promise: list-above-is-a-fault
  test.each([
    ['lines below other column names', 'Kunde;Limit\nAcme;1000\nBeta;2000\nGamma;3000\n\n', 2, 6],
    ['one line below other column names', 'Kunde;Limit\nAcme;1000\n', 2, 3],
    ['lines below unknown column names', 'Wer;Wo;Wieviel\nAcme;Ulm;1000\nBeta;Ulm;2500\nGamma;Ulm;3000\n', 2, 5],
    ['amounts that could be years, without column names', 'Acme;Ulm;2000\nBeta;Bonn;1950\nGamma;Ulm;3025\n', 1, 4],
    ['one amount that could be a year, below column names', 'Kunde;Limit\nAcme;2000\n', 2, 3],
    [
      'amounts with currency, without column names',
      'Acme;Ulm;1.000,50 EUR\nBeta;Bonn;2.000,00 EUR\nGamma;Ulm;90,00 EUR\n',
      1,
      4,
    ],
  ])('is a problem of the file until a person gives the header line: %s', async (_what, list, from, line) => {
    const { problems } = await read(list + TABLE);
    expect(problems).toMatchObject([{ line: from, message: expect.stringContaining(`say --header-line ${line}.`) }]);
    expect(await told(list + TABLE, { headerLine: line })).toMatchObject({ problems: [], rows: ['Delta'] });
  });

  test.each([
    'Limits;;;\nAs of;30.09.2026;;\nYear;2026;;\n\n',
    'Stand: 2026-11-28\nCompany code:;1000\nClient:;800\nPlant:;2100\n',
    'Company code;1000\nClient;800\n',
    'Company code;1000\nFiscal year;2026\nPeriod;12\n',
    'Version;Final;2026\nStand;Ist;2025\nPlan;Alt;2024\n',
    'Firma;Muster AG;Land;DE\nGeschäftsjahr;2026\nVorjahr;2025\nLimits;2024\n',
    'Debitoren;;Q4;\nSum of all;4000;;\n',
    'Firma;Muster AG;\nTelefon;0731 12345;\nPLZ;89073;\n',
    'Firma;Muster AG;Kundennr.;10234\nDatum;01.02.2026;;\n',
    'Mandant;10001\nBerater;29098\nBuchungskreis;1000\n',
    'Limits;;;\nNumber;;;250\nSum;;;1.250.000\nAverage;;;5.000,00\n',
  ])('is not found in title lines: %j', async (titles) => {
    expect(await told(titles + TABLE)).toMatchObject({ problems: [], rows: ['Delta'] });
  });
});

test('a list of names and amounts above a header with two columns is a problem of the file', async () => {
  const { problems } = await read('Acme;1000\nBeta;2500\nGamma;3000\nname;requested_limit\nDelta;4000\n');
  expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining('say --header-line 4.') }]);
});
