import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNOWN_COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { DELIMITERS } from '../../../src/table/dialect.ts';
import { read } from '../../support/workbooks.ts';

/** What was read of a file: its header line, its rows by name, and the problems of the whole file. */
async function told(content: string, options: Parameters<typeof read>[1] = {}) {
  const { headerLine, above, problems, lines, dialect } = await read(content, options);
  const rows = lines.map((line) => [line.line, line.kind === 'row' ? line.row.name : line.kind]);
  return { headerLine, above, problems: problems.map(({ message }) => message), rows, delimiter: dialect.delimiter };
}

const TITLES = ['Debitorenliste, Q4, vorläufig', '', 'Stand: 31.12.2025', 'Name'];

describe('a header below a title', () => {
  // Promise: header-is-found
  test.each(DELIMITERS)(
    'is found and reported, and lines keep their numbers, with the delimiter %j',
    async (delimiter) => {
      const table = ['Firma|Land|Kreditlimit (EUR)', 'Acme|DE|100', 'Beta|AT|200', ''];
      const content = [...TITLES, ...table.map((line) => line.replaceAll('|', delimiter))].join('\r\n');
      expect(await told(content)).toEqual({
        headerLine: 5,
        above: {
          from: 1,
          to: 4,
          texts: [TITLES[0]?.split(delimiter).join(' ').replaceAll('  ', ' '), TITLES[2], 'Name'],
        },
        problems: [],
        rows: [
          [6, 'Acme'],
          [7, 'Beta'],
        ],
        delimiter,
      });
    },
  );

  // Promise: header-is-found
  test.each<[string, string, number, string | null]>([
    [
      'title cells that are padded with delimiters',
      'Liste;;;\nStand;31.12.2025;;\n;;;\nName;Limit;Ort;Notiz\nA;1;;\n',
      4,
      'A',
    ],
    ['a title with column names', 'Firma;Muster AG;\nWährung;EUR;\nName;Limit;Ort\nA;1;Kiel\n', 3, 'A'],
    ['a title on two lines', '"Debitoren\nQ4"\nName;Limit\nA;1\n', 3, 'A'],
    ['a title with a lost quotation mark', 'Liste "Q4;\nName;Limit\nA;1\n', 2, 'A'],
    ['Excel\'s "sep=" line', 'sep=;\nListe\nName;Limit\nA;1\n', 3, 'A'],
    [
      "DATEV's first line",
      '"EXTF";700;16;"Debitoren/Kreditoren";5\nKonto;Name (Adressattyp Unternehmen);Kreditlimit (Debitor)\n1;A;1\n',
      2,
      'A',
    ],
    ['nineteen title lines', `${'x\n'.repeat(19)}Name;Limit\nA;1\n`, 20, 'A'],
    ['a title, with one column whose meaning is only guessed', 'Liste\nFirma;Betrag\nA;1\n', 2, null],
  ])('is found below %s', async (_what, content, headerLine, first) => {
    const found = await told(content);
    expect(found.headerLine).toBe(headerLine);
    expect(found.rows[0]?.[1] ?? null).toBe(first);
    if (first === null) expect(found.problems).toEqual([expect.stringContaining('--map "Betrag=requested_limit"')]);
  });

  // Promises: header-is-found, header-line-is-named
  test('is not found after the 20th line, and the problem explains --header-line', async () => {
    const content = `${'x\n'.repeat(20)}Name;Limit\nA;1\n`;
    const { problems, headerLine } = await told(content);
    expect(headerLine).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/does not look like a header.*--header-line N/)]);
    expect(await told(content, { headerLine: 21 })).toMatchObject({ headerLine: 21, problems: [], rows: [[22, 'A']] });
  });

  test.each(['"Firma;Land;Limit"\n"A GmbH;DE;1.234,50"\n', '"name,requested_limit"\n"A,1"\n'])(
    'is not found where all columns stand in one cell, and the problem says so: %j',
    async (content) => {
      expect((await told(content)).problems).toEqual([expect.stringContaining('All columns stand in one cell')]);
    },
  );

  test('is found by the names in a mapping', async () => {
    const mapping = { columns: { Partner: 'name', Wert: 'requested_limit' }, constants: {} } as const;
    expect(await told('Liste\nPartner;Wert\nA;1\n', { mapping })).toMatchObject({ headerLine: 2, rows: [[3, 'A']] });
  });

  test('can be given by a person, and a blank or missing line is a problem', async () => {
    const content = 'Name;Limit\n\nName;Limit\nA;1\n';
    expect(await told(content, { headerLine: 3 })).toMatchObject({ headerLine: 3, rows: [[4, 'A']] });
    for (const headerLine of [2, 9]) {
      const { problems, rows } = await told(content, { headerLine });
      expect({ problems, rows }).toEqual({
        problems: [expect.stringContaining(`Line ${headerLine}, given by --header-line`)],
        rows: [],
      });
    }
  });
});

describe('a header on the first line', () => {
  // Promise: header-is-found
  test('is not moved by column names in the lines below', () => {
    const cell = fc.constantFrom(...KNOWN_COLUMNS, 'Firma', 'Land', 'Limit', 'Summe', 'x', '');
    const run = fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 });
    return fc.assert(
      fc.asyncProperty(run, fc.constantFrom('Name,Limit,Note', 'name,requested_limit,x'), async (rows, header) => {
        const { headerLine } = await told([header, ...rows.map((cells) => cells.join(','))].join('\n'));
        expect(headerLine).toBe(1);
      }),
      { numRuns: 50 },
    );
  });

  test('and without a needed column is reported, and no line below is used as the header', async () => {
    const { headerLine, problems } = await told('Firma;Ort\nMail;Web\nAcme;Kiel\n');
    expect({ headerLine, problems }).toEqual({
      headerLine: 1,
      problems: [expect.stringContaining('requested_limit is needed')],
    });
    expect(problems[0]).not.toContain('--header-line');
  });

  test('may have blank lines above it', async () => {
    expect(await told('\n;;\nName;Limit;Ort\nA;1;Kiel\n')).toMatchObject({
      headerLine: 3,
      above: null,
      rows: [[4, 'A']],
    });
  });
});

describe('a line break in the first quoted cell', () => {
  test.each(['\n', '\r\n', '\r'])('of the header is accepted with any line ending: %j', async (end) => {
    const { problems, rows, headerLine } = await told(['"Name\ndes Kunden";Limit;Ort', 'A;1;Kiel', ''].join(end), {
      mapping: { columns: { 'Name\ndes Kunden': 'name' }, constants: {} },
    });
    expect({ problems, rows, headerLine }).toEqual({ problems: [], rows: [[3, 'A']], headerLine: 1 });
  });

  test('of a line is a space in a name, and is kept in other columns', async () => {
    const name = await read('name;requested_limit;note\n"Müller\nStahl GmbH";1;x\nB;2;y\n');
    expect(name.lines).toMatchObject([
      { kind: 'row', line: 2, row: { name: 'Müller Stahl GmbH' }, changed: [{ column: 'name' }] },
      { kind: 'row', line: 4 },
    ]);
    const own = await read('note;name;requested_limit\n"two\nlines";A;1\nx;B;2\n');
    expect(own.lines).toMatchObject([
      { kind: 'row', line: 2, cells: ['two\nlines', 'A', '1'] },
      { kind: 'row', line: 4 },
    ]);
  });

  test('does not join two lines that are complete without it', async () => {
    const { lines } = await read('name;requested_limit\n"A;1\nB";2\nC;3\n');
    expect(lines.map(({ kind }) => kind)).not.toContain('duplicate');
    expect(lines.filter(({ kind }) => kind === 'row').map(({ line }) => line)).toEqual([4]);
  });
});
