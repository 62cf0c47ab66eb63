import { describe, expect, test } from 'vitest';
import type { PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import type { Parts, Sheet } from '../../support/workbooks.ts';
import { HEADER, readWorkbook, rowOf, times, told, writeSheets, writeWorkbook } from '../../support/workbooks.ts';

const cell = (n: number) => `<c t="str"><v>${n}</v></c>`;
const row = (n: number) => `<row><c t="str"><v>Buyer ${n}</v></c><c><v>${n}</v></c></row>`;

describe('a sheet', () => {
  async function read(parts: Parts) {
    return (await readWorkbook((path) => writeWorkbook(path, parts))).lines;
  }

  test('is as large as its rows, whatever its dimension says', async () => {
    for (const said of ['A1:B1', 'A1:XFD1048576', 'nonsense']) {
      const lines = await read({ sheet: [`<dimension ref="${said}"/>`, HEADER, row(2), row(3)] });
      expect(lines).toMatchObject([
        { line: 2, kind: 'row' },
        { line: 3, kind: 'row' },
      ]);
    }
  });

  test("with a cell right of its header has a problem on that row only, with the cell's name", async () => {
    const lines = await read({
      sheet: [HEADER, `<row r="2">${cell(1)}<c><v>5</v></c><c r="AB2"><v>7</v></c></row>`, row(3)],
    });
    expect(lines).toMatchObject([
      {
        line: 2,
        kind: 'invalid',
        problems: [{ message: expect.stringContaining("Cell AB2 is to the right of the header's") }],
      },
      { line: 3, kind: 'row' },
    ]);
  });

  test('with a row longer than a record may be has a problem on that row only', async () => {
    const long = (n: number) => `<c t="s"><v>${n % 1}</v></c>`;
    const header = `<row>${[...times(40, (n) => `<c t="str"><v>${n === 1 ? 'name' : n === 2 ? 'requested_limit' : `own ${n}`}</v></c>`)].join('')}</row>`;
    const lines = await read({
      sheet: [header, `<row>${[...times(40, long)].join('')}</row>`, row(3)],
      texts: [`<si><t>${'abc'.repeat(10_000)}</t></si>`],
    });
    expect(lines).toMatchObject([
      { line: 2, kind: 'invalid', problems: [{ message: expect.stringContaining('more than 1048576 characters') }] },
      { line: 3, kind: 'row' },
    ]);
  });

  test.each([
    ['without a value', '<c><f>X!C2</f></c>'],
    ['with an empty value, as openpyxl writes it', '<c><f>X!C2</f><v></v></c>'],
    ['with an empty number of a text', '<c t="s"><f>X!C2</f><v/></c>'],
  ])('has a problem on the row of a formula %s', async (_what, formula) => {
    const lines = await read({
      sheet: [
        `<row>${['name', 'requested_limit', 'request_reference'].map((name) => `<c t="str"><v>${name}</v></c>`).join('')}</row>`,
        `<row><c t="str"><v>Acme</v></c><c><v>5</v></c>${formula}</row>`,
        `<row>${formula}${formula}</row>`,
        '<row><c t="str"><v>Tin</v></c><c><v>6</v></c><c t="str"><f>""</f><v></v></c></row>',
      ],
    });
    const problems = [{ message: expect.stringContaining('formula that was never calculated') }];
    expect(lines).toMatchObject([
      { line: 2, kind: 'invalid', problems },
      { line: 3, kind: 'invalid', problems },
      { line: 4, kind: 'row' },
    ]);
  });

  test.each([
    [
      'has a problem where its writer calculates nothing, as XlsxWriter',
      '<calcPr calcId="124519" fullCalcOnLoad="1"/>',
      'invalid',
    ],
    ['is read where its writer calculates', '<calcPr calcId="191029" fullCalcOnLoad="1"/>', 'row'],
  ])('a formula with zero or an empty text %s', async (_what, calculation, kind) => {
    const book = `<workbook xmlns:r="r"><sheets><sheet name="Buyers" r:id="rId1"/></sheets>${calculation}</workbook>`;
    const row = (formula: string) => `<row><c t="str"><v>Acme</v></c><c><v>5</v></c>${formula}</row>`;
    const lines = await read({
      book,
      sheet: [
        `<row>${['name', 'requested_limit', 'note'].map((name) => `<c t="str"><v>${name}</v></c>`).join('')}</row>`,
        row('<c><f>X!C2</f><v>0</v></c>'),
        row('<c t="str"><f>X!C2</f><v></v></c>').replace('5', '6'),
        row('<c t="str"><f>X!C2</f><v>given</v></c>').replace('5', '7'),
      ],
    });
    expect(lines.map((line) => line.kind)).toEqual([kind, kind, 'row']);
  });

  test('a cell with blanks in place of the number of its text is empty, and has not the first text', async () => {
    const lines = await read({
      sheet: [HEADER, '<row><c t="s"><v>\n </v></c><c><v>5</v></c></row>'],
      texts: ['<si><t>First</t></si>'],
    });
    expect(lines).toMatchObject([{ line: 2, kind: 'invalid', cells: ['', '5'] }]);
  });

  // Promise: broken-workbook-refused-whole
  test.each([
    [
      'rows out of order',
      `<row r="7">${cell(1)}</row><row r="5">${cell(1)}</row>`,
      'its row 5 cannot come after row 7',
    ],
    ['a row twice', `<row r="7">${cell(1)}</row><row r="7">${cell(1)}</row>`, 'its row 7 cannot come after row 7'],
    ['more rows than Excel', `<row r="1048577">${cell(1)}</row>`, 'its row 1048577 cannot come after row 1'],
    ['a row without a number', `<row r="x">${cell(1)}</row>`, 'its row x cannot'],
    ['a cell without a place', '<row><c r="7"/></row>', 'its row 2 has a cell 7, which no sheet has'],
    [
      'two cells with one name',
      '<row><c r="B2"><v>1</v></c><c r="A2"/><c r="B2"><v>2</v></c></row>',
      'its cell B2 occurs twice',
    ],
    [
      'a cell whose text is lost',
      `<row>${cell(1)}<c t="s"><v>9</v></c></row>`,
      'its cell B2 names a text that the workbook lacks',
    ],
  ])('with %s is refused', async (_name, rows, words) => {
    await expect(read({ sheet: [HEADER, rows] })).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining(words),
    });
  });

  test("with a text of Excel's maximum length is read", async () => {
    const long = 'x'.repeat(32_767);
    const lines = await read({ sheet: [HEADER, `<row><c t="str"><v>${long}</v></c><c><v>5</v></c></row>`] });
    expect(lines).toMatchObject([{ kind: 'row', row: { name: long } }]);
  });
});

const readSheets = (sheets: Sheet[], given?: Partial<PortfolioFile>) =>
  readWorkbook((path) => writeSheets(path, sheets), given);

describe('hidden rows', () => {
  const rows = [
    HEADER,
    rowOf(2, ['Seen', '100']),
    rowOf(3, ['By hand', '200'], 'hidden="1"'),
    rowOf(4, ['By no height', '300'], 'ht="0" customHeight="1"'),
    rowOf(5, ['Seen too', '400'], 'hidden="0" ht="15"'),
    rowOf(6, ['Total', '1000'], 'hidden="true"'),
  ];

  // Promise: hidden-rows-not-requested
  test('are invalid lines', async () => {
    const { lines } = await readSheets([{ name: 'Buyers', rows: rows.join('') }]);
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'invalid', 'invalid', 'row', 'invalid']);
    expect(told(lines.slice(1))).toEqual([
      expect.stringContaining('3 null: This row is hidden in the sheet'),
      expect.stringContaining('4 null: This row is hidden in the sheet'),
      expect.stringContaining('6 name: This line reads like a total'),
    ]);
    // A text file cannot hide the rows again.
    expect(lines[1]).toMatchObject({ broken: 'By hand,200' });
  });

  // Promise: hidden-rows-not-requested
  test('are imported with --hidden-rows, except totals', async () => {
    const { lines } = await readSheets([{ name: 'Buyers', rows: rows.join('') }], { hiddenRows: true });
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'row', 'row', 'invalid']);
  });

  // Promise: wrong-total-in-file-warned
  test.each<[string, string[], boolean, string[]]>([
    ['the visible rows', ['Total,500'], true, ['6 hidden rows add 500.00 to it.']],
    ['all rows', ['Total,1000'], true, []],
    ['the visible rows, while hidden rows are not imported', ['Total,500'], false, []],
    ['another sum', ['Total,600'], true, ['6 a line may be missing, or an amount may be misread.']],
    [
      'the visible rows, in a subtotal and the grand total',
      ['Seen too Total,500', 'Last,7', 'Total,507'],
      true,
      ['6 hidden rows add 500.00 to it.', '8 hidden rows add 500.00 to it.'],
    ],
  ])(
    'below them, a total of %s is checked against the imported rows: %j, %j',
    async (_name, below, hiddenRows, told) => {
      const totals = below.map((line, at) => rowOf(6 + at, line.split(',')));
      const { warnings, misstated } = await readSheets(
        [{ name: 'Buyers', rows: [...rows.slice(0, 5), ...totals].join('') }],
        { hiddenRows },
      );
      const ofTotals = warnings.filter(({ message }) => message.startsWith('This total'));
      expect(ofTotals.map(({ line, message }) => `${line} ${message.split(': ')[1]}`)).toEqual(told);
      expect(misstated).toEqual(ofTotals);
    },
  );
});
