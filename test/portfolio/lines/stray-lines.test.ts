import { describe, expect, test } from 'vitest';
import { read, told } from '../../support/workbooks.ts';

const HEADER = 'Firma;Land;Ort;Straße;Registernummer;E-Mail;Kreditlimit\n';
const BUYERS = [
  'Alpha GmbH;DE;Köln;Ring 1;HRB 1;a@alpha.example;1.000.000,17',
  'Beta GmbH;DE;Bonn;Ring 2;HRB 2;b@beta.example;352.846,00',
].join('\n');

/** What was read of the lines below the two buyers. */
async function below(lines: string, { header = HEADER, buyers = BUYERS } = {}) {
  const { lines: found } = await read(`${header}${buyers}\n${lines}\n`);
  expect(found.slice(0, 2).map(({ kind }) => kind)).toEqual(['row', 'row']);
  return found.slice(2);
}

const TOTAL = 'reads like a total of other lines';
const SUM = 'exact sum of the 2 lines from 2 to 3';
const NOTE = 'reads like a note';

describe('a line below the buyers', () => {
  // Promises: lines-that-are-no-buyers, totals-not-requested, second-table-not-requested
  test.each<[string, string, string]>([
    ['a total word with the sum', 'Summe;;;;;;1.352.846,17', `4 Firma: This line ${TOTAL}`],
    ['a total word with another amount', 'Gesamt;;;;;;5,00', `4 Firma: This line ${TOTAL}`],
    ['a total word without an amount', 'Total général;;;;;;', `4 Firma: This line ${TOTAL}`],
    ['a total word on a short line', 'Summe;1.352.846,17', `4 Firma: This line ${TOTAL}`],
    ['a total word in another column', ';Zwischensumme;;;;;5,00', `4 Land: This line ${TOTAL}`],
    ['the sum of the lines above with other words', 'Alle zusammen;;;;;;1.352.846,17', SUM],
    ['the sum of the lines above without words', ';;;;;;1352846,17', SUM],
    ['the header once more', HEADER.trim(), '4 Firma: This line repeats the header'],
    ['a note', 'Stand: 30.09.2026;;;;;;', `4 Firma: Only this cell of the line is filled, so it ${NOTE}`],
    ['a note without its delimiters', '* geschätzt', NOTE],
    ['a note in another column', ';;;;Erstellt von Debitorenbuchhaltung;;', `4 Registernummer: Only this cell`],
  ])('is a problem: %s', async (_, line, message) => {
    const [stray] = await below(line);
    expect(stray).toMatchObject({ kind: 'invalid', problems: [{ line: 4 }] });
    expect(told(stray ? [stray] : [])).toEqual([expect.stringContaining(message)]);
  });

  // Promise: totals-not-requested
  test.each<[string, string]>([
    ['with a balance on its side of the account', 'Grand Total,,"18,25,001.00","1,21,900.00 Dr"'],
    ['that is the exact sum, beside a date', 'Grand Total,,"18,25,000.00",31-Mar-2027'],
  ])('is a problem: a total of a short list, %s', async (_, line) => {
    const header = 'Name,Country,Credit Limit,Closing Balance\n';
    const buyers = 'Sharma,IN,"5,75,000.00","1,25,300.00 Dr"\nPatel,IN,"12,50,000.00","3,400.00 Cr"';
    expect(told(await below(line, { header, buyers }))).toEqual([expect.stringContaining(TOTAL)]);
  });

  test.each([
    ['the sum of the others', 'Status;Firma;Limit\nneu;Alpha GmbH;5\nneu;Beta GmbH;7\nall;Gamma GmbH;12\n'],
    [
      'few filled cells',
      'Status;Firma;Land;Ort;Limit;PLZ;Fax\nneu;Alpha GmbH;DE;;5;;\nneu;Beta;DE;;7;;\nalt;Gamma;;;3;;\n',
    ],
  ])('is a buyer: one whose state reads like a total, with %s', async (_, content) => {
    const { lines } = await read(content);
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'row']);
  });

  test.each<[string, string]>([
    ['a name that begins like a total', 'Total Energies;;;;;;2.000,00'],
    [
      'a name that begins like a total, on a complete line',
      'Summa Oy;FI;Oulu;Katu 1;1234567-8;a@summa.example;1.352.846,17',
    ],
    ['the name Total, on a complete line', 'Total;FR;Paris;Rue 1;542051180;a@total.example;2.000,00'],
    ['an amount that is the sum, on a complete line', 'Gamma AG;DE;Ulm;Ring 3;HRB 3;c@gamma.example;1.352.846,17'],
    ['a line with only a name and an amount', 'Gamma AG;;;;;;2.000,00'],
  ])('is a buyer: %s', async (_, line) => {
    expect(await below(line)).toMatchObject([{ kind: 'row', line: 4 }]);
  });

  // Promise: buyer-by-reference
  test('is a buyer if it has a buyer_reference, even with a total word as its name', async () => {
    const header = `buyer_reference;${HEADER}`;
    const buyers = BUYERS.replace(/^/gm, 'K7;').replace('K7', 'K6');
    const strays = await below('77;Summe;;;;;;1.352.846,17\nSumme;;;;;;;9,00\n;Summe;;;;;;8,00', { header, buyers });
    expect(strays.map(({ kind }) => kind)).toEqual(['row', 'invalid', 'invalid']);
  });
});

// Promise: no-line-of-another-currency
test.each([
  ['the header once more', 'name,requested_limit,currency'],
  ['a total', 'Total,"3,000.00",US-Dollar'],
])('%s is not reported as a line in another currency', async (_, line) => {
  const file = `name,requested_limit,currency\nAlpha,1000,EUR\n${line}\nBeta,2000,EUR\nGamma,3000,USD\n`;
  const { lines } = await read(file);
  expect(lines.map(({ kind }) => kind)).toEqual(['row', 'invalid', 'row', 'invalid']);
  expect(lines.map((one) => one.kind === 'invalid' && one.unsummed)).toEqual([false, undefined, false, 'foreign']);
});

test('subtotals and the grand total are each reported with the lines that they sum', async () => {
  const lines = [
    'A;DE;K;1;1,10',
    'B;DE;K;2;2,20',
    'Nord;;;;3,30',
    'C;DE;K;3;10,00',
    'D;DE;K;4;20,00',
    'Süd;;;;30,00',
    'Deutschland;;;;33,30',
    'E;DE;K;5;33,30',
  ];
  const found = await read(`name;country_code;city;company_registration_number;requested_limit\n${lines.join('\n')}\n`);
  expect(told(found.lines.filter(({ kind }) => kind === 'invalid'))).toEqual([
    expect.stringContaining('the 2 lines from 2 to 3'),
    expect.stringContaining('the 2 lines from 5 to 6'),
    expect.stringContaining('the 4 lines from 2 to 6'),
  ]);
  expect(found.lines.map(({ kind }) => kind)).toEqual([...kinds('rri'), ...kinds('rri'), ...kinds('ir')]);
});

// Promise: totals-not-requested
test.each<[string, string, string]>([
  ['a total word and the currency, with another amount', 'Gesamtbetrag Q4;;;605;EUR;;', TOTAL],
  ['another total word and the currency', 'Grand total EUR;;;600;EUR;;', TOTAL],
  ['the sum of all others, without a country', 'Q4 zusammen;;;600;EUR;;', 'neither a country'],
  ['a buyer with a country', 'Delta GmbH;FR;;600;EUR;;', ''],
  ['a buyer with a registration number', 'Delta GmbH;;HRB 9;600;EUR;;', ''],
  ['another amount', 'Delta GmbH;;;601;EUR;;', ''],
  ['a buyer with a city', 'Delta Holding GmbH;;;600;EUR;Ulm;', ''],
  ['a buyer with a request_reference', 'Delta Holding GmbH;;;600;EUR;;R-1', ''],
])('a full line in a file with countries is accepted only if it is not a total: %s', async (_, line, message) => {
  const header = 'name;country_code;company_registration_number;requested_limit;currency;city;request_reference';
  const above = ['A;DE;HRB 1;100;EUR;;', 'B;DE;;200;EUR;;', 'C;DE;HRB 3;300;EUR;;'];
  const found = await read(`${[header, ...above, line].join('\n')}\n`);
  expect(told(found.lines)).toEqual(message === '' ? [] : [expect.stringContaining(message)]);
  const isKnown = await read(`${[header, 'D;;;50;EUR;;', ...above, 'Q4 zusammen;;;650;EUR;;'].join('\n')}\n`);
  expect(isKnown.lines.map(({ kind }) => kind)).toEqual(kinds('rrrrr'));
});

/** `ri` means a row and an invalid line. */
const kinds = (letters: string): string[] => [...letters].map((one) => (one === 'r' ? 'row' : 'invalid'));

test('in a table of two columns totals are found by their word, and buyers may have equal or summed amounts', async () => {
  const { lines } = await read('name,requested_limit\nA,100\nB,200\nC,300\nD,600\nTotal,1200\n* estimated,\nE,\n');
  expect(lines.map(({ kind }) => kind)).toEqual(kinds('rrrriii'));
  expect(told(lines.slice(4))).toEqual([
    expect.stringContaining(TOTAL),
    expect.stringContaining(NOTE),
    '8 requested_limit: This cell is empty and must not be.',
  ]);
});

test('lines of a wide table that all fill a few cells are not totals, even if one is a sum', async () => {
  const wide = (text: string) => `${text}${','.repeat(20)}`;
  const own = Array.from({ length: 20 }, (_none, n) => `own${n}`).join(',');
  const { lines } = await read(`name,requested_limit,${own}\n${['A,5', 'B,5', 'C,10', 'D,20'].map(wide).join('\n')}\n`);
  expect(lines.map(({ kind }) => kind)).toEqual(kinds('rrrr'));
});

test('a total has no request key, and its errors file line has its text in place of cells', async () => {
  const [stray] = await below('Summe;;;;;;1.352.846,17');
  expect(stray).toMatchObject({ key: '', broken: 'Summe;;;;;;1.352.846,17' });
});

describe('a total of a group of lines above it is found', () => {
  const WIDE = 'Firma;Ort;Land;Website;Notiz;Kreditlimit';
  const A = 'Acme GmbH;Ulm;DE;acme.de;x;10000';
  const B = 'Borg AG;Essen;DE;borg.de;x;20000';
  const C = 'Cee AG;Wien;AT;cee.at;x;5000';
  const [ACME, BORG, AUSTRIA] = [
    'Acme GmbH Ergebnis;;;;;10000',
    'Borg AG - Total;;;;;20000',
    'Total Österreich;;;;;5000',
  ];

  test.each<[string, string[], string]>([
    // Promise: totals-not-requested
    ["of one line, by the buyer's name", [WIDE, A, ACME, B, BORG, 'Gesamtergebnis;;;;;30000'], 'ririi'],
    ['of one line, by the words of another cell', [WIDE, A, 'Total Ulm;;;;;10000', B, ';Essen Summe;;;;1,00'], 'riri'],
    ['of one line, by a country', [WIDE, C, AUSTRIA, A, B, 'Total DE;;;;;1,00', 'in allem;;;;;35000'], 'rirrii'],
    [
      'of a region below another region',
      [WIDE, A, B, 'Summe Nord;;;;;30000', C, 'Total Süd;;;;;5000', 'in allem;;;;;35000'],
      'rririi',
    ],
    [
      'with a name that no line above has',
      [WIDE, A, B, 'Bereich 7 Ergebnis;;;;;1,00', 'Bereich 8 Total;;;;;30000'],
      'rrii',
    ],
    [
      'in a table of four columns',
      ['Name;Ort;Land;Limit', 'A;Ulm;DE;1', 'B;Ulm;DE;2', 'Total Germany;;;3', 'Gesamt Deutschland;;;3'],
      'rrii',
    ],
    ['in a table of three columns', ['Name;Ort;Limit', 'A;Ulm;1', 'B;Ulm;2', 'Ergebnis;;3'], 'rri'],
    ['in a table of two columns', ['Name;Limit', 'A;1', 'B;2', 'C;4', 'Total EMEA;7', 'C Total;7'], 'rrrii'],
  ])('%s', async (_, lines, expected) => {
    const found = await read(`${lines.join('\n')}\n`);
    expect(found.lines.map(({ kind }) => kind)).toEqual(kinds(expected));
  });

  test.each<[string, string[]]>([
    ['named Total, with the amount of the one line above it', [WIDE, A, 'Total Energies;;;;;10000']],
    [
      'named Total, in a table of two columns',
      ['Name;Limit', 'BP;10000', 'Total Deutschland;20000', 'Total Energies;30000'],
    ],
    ['with a name that ends in Total', [WIDE, A, 'Brico Total;;;;;20000', 'Limpieza Total SL;;;;;7000']],
    ["with a country's name, on a complete line", [WIDE, A, 'Total Deutschland;Berlin;DE;total.de;x;10000']],
    [
      'with a legal form',
      [WIDE, A, 'Total Deutschland GmbH;;;;;10000', 'Ergebnis GmbH;;;;;1', 'Total Austria Gesellschaft;;;;;4'],
    ],
  ])('a buyer is not a group total: %s', async (_, lines) => {
    const found = await read(`${lines.join('\n')}\n`);
    expect(found.lines.map(({ kind }) => kind)).toEqual(lines.slice(1).map(() => 'row'));
  });
});

describe('a last line that is the sum of all others', () => {
  const warned = expect.stringContaining('the exact sum of the 3 lines above it');
  test.each<[string, string[], unknown[]]>([
    // Promise: last-line-as-sum
    ['gets a warning in any table', ['Name;Ort;Limit', 'A;Ulm;1', 'B;Ulm;2', 'C;Ulm;3', 'Alles;Bonn;6'], [warned]],
    [
      'gets a warning also if other lines are invalid',
      ['Name;Land;Limit', 'A;DE;1', 'B;XX;2', 'C;DE;3', 'Alles;DE;6'],
      [warned],
    ],
    ['gets no warning if it is invalid itself', ['Name;Land;Limit', 'A;DE;1', 'B;DE;2', 'C;DE;3', 'Alles;XX;6'], []],
    ['gets no warning if it is not the last line', ['Name;Limit', 'A;1', 'B;2', 'C;3', 'D;6', 'E;7'], []],
    ['gets no warning if there is only one other line', ['Name;Limit', 'A;1', 'B;1'], []],
  ])('%s', async (_, lines, expected) => {
    const { warnings } = await read(`${lines.join('\n')}\n`);
    expect(warnings.filter(({ column }) => column === 'Limit').map(({ message }) => message)).toEqual(expected);
  });
});

test("an errors file's own columns are not part of a line, neither for totals nor for the number of cells", async () => {
  const own = 'row,limitline_line,problem,limitline_account,limitline_from';
  const lines = [
    ',,,"Summe,,9999",This line reads like a total,stand-in,q #0123456789ab line 7',
    'Summe,9999,q/1,,It reads like a total,stand-in,q #0123456789ab line 7',
  ];
  const found = await read(
    `name,requested_limit,${own}\nA,1,,,,stand-in,q #0123456789ab line 2\n${lines.join('\n')}\n`,
  );
  expect(told(found.lines.slice(1))).toEqual([
    '3 null: This line reads like a total',
    expect.stringContaining(`4 name: This line ${TOTAL}`),
  ]);
  expect(found.lines.slice(1)).toMatchObject([{ kind: 'invalid' }, { broken: 'Summe,9999' }]);
});

// Promise: wrong-total-in-file-warned
test.each<[string, boolean]>([
  ['Summe;;;;;;1.352.846,17', false],
  ['Summe;;;;;;1.352.847,17', true],
  ['Summe;;;;;;', false],
  ['Total Energies;;;;;;2.000,00', false],
])(
  'a total that differs from the sum of the lines above it gives a warning for the file: %s',
  async (line, isOther) => {
    const { warnings } = await read(`${HEADER}${BUYERS}\n${line}\n`);
    const told = warnings.filter(({ message }) => message.includes('differs from the sum'));
    expect(told.map(({ line: at }) => at)).toEqual(isOther ? [4] : []);
    if (isOther) expect(told[0]?.message).toContain('the lines above it, 1,352,846.17');
  },
);

// Promise: wrong-total-in-file-warned
test.each([
  [
    'other amounts do not add up to it',
    ['Acme,1000', 'Beta,2O00', 'Gamma,500', 'Total,4500'],
    [/1 line above it has .* add up to 1,500\.00/],
  ],
  [
    'no amount can be read',
    ['Acme,1O00', 'Beta,2O00', 'Total,3000'],
    [/2 lines above it have no amount that can be read\.$/],
  ],
  [
    'no warning is needed because the readable amounts add up to it',
    ['Acme,1000', 'Beta,2O00', 'Gamma,500', 'Total,1500'],
    [],
  ],
  [
    'another group below it adds up',
    ['Acme,1O00', 'Total,9', 'Beta,2000', 'Gamma,500', 'Total,2500'],
    [/1 line above it has/],
  ],
  [
    'it may be the sum of all groups',
    ['Acme,1O0', 'Beta,200', 'Subtotal,300', 'Gamma,50', 'Delta,20', 'Total,370'],
    [/1 line above it has .* add up to 200\.00/, /1 line above it has .* add up to 270\.00/],
  ],
])('a total below an unreadable amount gets a warning that it was not checked, if %s', async (_name, lines, told) => {
  const { warnings, misstated } = await read(`name,requested_limit\n${lines.join('\n')}\n`);
  const found = warnings.filter(({ message }) => message.startsWith('This total could not be checked'));
  expect(found.map(({ message }) => message)).toEqual(told.map((one) => expect.stringMatching(one)));
  expect(misstated).toEqual(found);
});

// Promise: wrong-total-in-file-warned
test('a subtotal with readable lines is checked, even if lines above its group are unreadable', async () => {
  const lines = ['Acme,1O0', 'Beta,200', 'Subtotal,300', 'Gamma,50', 'Delta,20', 'Subtotal,99'];
  const { warnings } = await read(`name,requested_limit\n${lines.join('\n')}\n`);
  expect(warnings.find(({ line }) => line === 7)?.message).toContain(
    'differs from the sum of the lines above it, 70.00',
  );
});
