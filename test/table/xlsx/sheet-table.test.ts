import { createWriteStream } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import { dialectWords } from '../../../src/table/dialect.ts';
import { writeSheet } from '../../../src/table/xlsx/write-sheet.ts';
import { HEADER, readWorkbook, rowOf, type Sheet, writeSheets, writeZip } from '../../support/workbooks.ts';

const CELLS = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="inlineStr"><is><t>Note</t></is></c></row>
<row r="3"><c r="A3" t="s"><v>3</v></c><c r="B3"><v>1.234</v></c><c r="C3" s="1"><v>45747</v></c></row>
<row r="4"><c r="A4" t="s"><v>4</v></c><c r="B4"><f>1+1</f><v>0.30000000000000004</v></c><c r="D4" t="b"><v>1</v></c></row>
<row r="5"><c r="B5"/></row>
<row r="6"><c r="A6" t="str"><v>&lt;Zinc&gt;</v></c><c r="B6" t="e"><v>#N/A</v></c></row>`;

/** A workbook as Excel writes it, with a second sheet. */
function workbook(more: Record<string, string> = {}, sheet = CELLS): (path: string) => Promise<string> {
  const parts = {
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="Buyers" r:id="rId2"/><sheet name="Old" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="rId2" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml':
      '<sst><si><t>Firma</t></si><si><t>Kreditlimit</t></si><si><t>Stichtag</t></si><si><r><t>Mül</t></r><r><t>ler</t></r></si><si><t>株式</t><rPh><t>かぶ</t></rPh></si></sst>',
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml':
      '<worksheet><sheetData><row><c t="str"><v>name</v></c><c t="str"><v>requested_limit</v></c></row><row><c t="str"><v>Tin</v></c><c><v>5</v></c></row></sheetData></worksheet>',
    ...more,
  };
  return (path) => writeZip(path, parts);
}

describe('a workbook', () => {
  test('is read with the types of its cells and its own row numbers', async () => {
    const { lines, dialect, problems } = await readWorkbook(workbook());
    expect(problems).toEqual([]);
    expect(dialectWords(dialect)).toBe('sheet "Buyers" of an Excel workbook');
    expect(lines).toMatchObject([
      { kind: 'row', line: 3, row: { name: 'Müller', limit: { requested_limit: '1.234' } }, changed: [] },
      { kind: 'row', line: 4, cells: ['株式', '0.3', '', 'TRUE'], row: { limit: { requested_limit: '0.3' } } },
      { kind: 'invalid', line: 6, cells: ['<Zinc>', '#N/A'] },
    ]);
    expect(lines[0]?.cells[2]).toBe('2025-03-31');
  });

  // Promise: thousands-refused
  test('makes a line invalid whose amount is shown in thousands or whose formula was never calculated', async () => {
    const formats = ['#,##0 "T€"', '#,##0"k"', '0.0 "Mio. €"', '#,##0,', '#,##0.00 [$€-407]', '#,##0', '0 \\k'];
    const escaped = formats.map(
      (code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
    );
    const styles = `<styleSheet><numFmts>${escaped.join('')}</numFmts><cellXfs>${formats.map((_code, n) => `<xf numFmtId="${164 + n}"/>`).join('')}</cellXfs></styleSheet>`;
    const row = (n: number, cell: string) => `<row r="${n}"><c r="A${n}" t="str"><v>B${n}</v></c>${cell}</row>`;
    const rows = [
      ...formats.map((_code, n) => row(n + 2, `<c r="B${n + 2}" s="${n}"><v>50</v></c>`)),
      row(10, '<c r="B10" s="5"><v>50</v></c><c r="C10"><f>X!C2</f></c>'),
      row(11, '<c r="B11" s="5"><f>2*25</f><v>50</v></c><c r="C11" t="str"><f>""</f><v></v></c>'),
    ];
    const header =
      '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>requested_limit</v></c><c r="C1" t="str"><v>city</v></c></row>';
    const { lines } = await readWorkbook(workbook({ 'xl/styles.xml': styles }, header + rows.join('')));
    const told = lines.map((line) => (line.kind === 'invalid' ? (line.problems[0]?.message ?? '') : line.kind));
    const thousands = expect.stringContaining('in thousands or millions');
    expect(told).toEqual([
      thousands,
      thousands,
      thousands,
      thousands,
      'row',
      'row',
      thousands,
      expect.stringMatching(/^Cell C10 has a formula that was never calculated: open/),
      'row',
    ]);
  });

  describe('as Excel writes it', () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="000000000"/><numFmt numFmtId="165" formatCode="[$-407]00000;@"/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`;

    /** The row that is read with a cell below the header `company_registration_number`. */
    async function cellRead(cell: string, texts = '<sst/>') {
      const header = ['name', 'requested_limit', 'company_registration_number'];
      const [head = '', tail = ''] = [header.map((name) => `<c t="str"><v>${name}</v></c>`).join(''), cell];
      const sheet = `<row>${head}</row><row><c t="str"><v>Acme</v></c><c><v>1</v></c>${tail}</row>`;
      const { lines } = await readWorkbook(workbook({ 'xl/styles.xml': styles, 'xl/sharedStrings.xml': texts }, sheet));
      return lines[0];
    }

    test.each([
      ['leading zeros that its format shows', '<c s="1"><v>5880596</v></c>', '005880596'],
      ['leading zeros of a format with a language', '<c s="2"><v>1067</v></c>', '01067'],
      ['no leading zeros before a fraction', '<c s="2"><v>10.5</v></c>', '10.5'],
      [
        'no phonetic text',
        '<c t="inlineStr"><is><t>東京</t><rPh sb="0"><t>トウキョウ</t></rPh><phoneticPr/></is></c>',
        '東京',
      ],
      ['escapes', '<c t="str"><v>A_x0042__x005F_x0043_</v></c>', 'AB_x0043_'],
      ['an old line break', '<c t="inlineStr"><is><t>HRB_x000D_\n7</t></is></c>', 'HRB\r\n7'],
    ])('has %s', async (_name, cell, value) => {
      expect(await cellRead(cell)).toMatchObject({ cells: ['Acme', '1', value], kind: 'row' });
    });

    test('has escapes in shared texts', async () => {
      const line = await cellRead('<c t="s"><v>0</v></c>', '<sst><si><t>HRB_x0020_7</t></si></sst>');
      expect(line).toMatchObject({ cells: ['Acme', '1', 'HRB 7'] });
    });

    test.each(['#N/A', '#REF!', '#DIV/0!', '#NAME?'])('has an invalid line for a failed formula: %s', async (error) => {
      expect(await cellRead(`<c t="e"><f>A1/0</f><v>${error}</v></c>`)).toMatchObject({
        kind: 'invalid',
        problems: [{ column: 'company_registration_number', value: error, message: expect.stringContaining('error') }],
      });
    });

    test("accepts failed formulas in the team's own columns", async () => {
      const line = await cellRead('<c t="str"><v>HRB 1</v></c>');
      expect(line?.kind).toBe('row');
      const header = '<c t="str"><v>name</v></c><c t="str"><v>requested_limit</v></c><c t="str"><v>note</v></c>';
      const sheet = `<row>${header}</row><row><c t="str"><v>Acme</v></c><c><v>1</v></c><c t="e"><v>#N/A</v></c></row>`;
      expect((await readWorkbook(workbook({}, sheet))).lines).toMatchObject([{ kind: 'row' }]);
    });
  });

  describe('with amounts as numbers and as texts', () => {
    const text = (cell: string) => `<c t="str"><v>${cell}</v></c>`;
    const number = (cell: string) => `<c><v>${cell}</v></c>`;
    const row = (name: string, amount: string) => `<row>${text(name)}${amount}</row>`;
    const header = row('name', text('requested_limit'));

    async function amounts(cells: string[], given: Partial<PortfolioFile> = {}) {
      const rows = cells.map((cell, n) => row(`Buyer ${n}`, cell)).join('');
      const { lines } = await readWorkbook(workbook({}, header + rows), given);
      return lines.map((line) => (line.kind === 'row' ? line.row.limit.requested_limit : 'problem'));
    }

    test('ignores its number cells when it decides how its texts are written', async () => {
      expect(await amounts([number('0.5'), text('1.234'), number('1500.25')])).toEqual(['0.5', 'problem', '1500.25']);
    });

    test.each<[string, string[], Partial<PortfolioFile>]>([
      ['a text', [text('1.234'), text('0,5')], {}],
      ['--decimal', [text('1.234'), text('0,5')], { decimal: ',' }],
    ])('reads its number cells with a decimal point, whatever %s shows for its texts', async (_name, texts, given) => {
      const read = await amounts([...texts, number('1.234'), number('0.25')], given);
      expect(read).toEqual(['1234', '0.5', '1.234', '0.25']);
    });
  });

  // Promise: first-visible-sheet
  test('is read from the sheet that is given', async () => {
    expect((await readWorkbook(workbook(), { sheet: 'Old' })).lines).toMatchObject([{ row: { name: 'Tin' } }]);
    await expect(readWorkbook(workbook(), { sheet: 'New' })).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('it has Buyers, Old'),
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['with invalid XML', { 'xl/worksheets/sheet1.xml': '<worksheet><row></worksheet>' }, 'cannot be read'],
    [
      'with a sheet that expands 300 times',
      { 'xl/worksheets/sheet1.xml': '<worksheet>'.padEnd(64 * 1024 * 1024) },
      '300 times',
    ],
    ['with a cell outside the sheet', { 'xl/worksheets/sheet1.xml': '<a><row><c r="ZZZZZ1"/></row></a>' }, 'ZZZZZ1'],
    [
      'with its own entities',
      { 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' },
      'undefined entity; open it',
    ],
  ])('%s is an error with the reason', async (_name, parts, reason) => {
    await expect(readWorkbook(workbook(parts))).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining(reason),
    });
  });

  test('is told apart from another ZIP file', async () => {
    const { problems } = await readWorkbook((path) => writeZip(path, { 'a.csv': 'name' }));
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('ZIP file') })]);
  });

  test('that Limitline wrote is read back equal, without formulas', async () => {
    const records = [
      ['name', 'requested_limit', 'note'],
      ['=1+1 & <b>', '1234.5', ' two\nlines _x000D_'],
      ['Tin "x"', '', 'a\r\nb'],
    ];
    async function* given() {
      yield* records;
    }
    const kindOf = (name: string | undefined) => (name === 'requested_limit' ? 'amount' : 'text');
    const { header, lines } = await readWorkbook((path) =>
      writeSheet(given(), createWriteStream(path), { name: 'q4', kindOf }),
    );
    expect([header, ...lines.map((line) => line.cells)]).toEqual(records);
  });
});

const read = (sheets: Sheet[], given?: Partial<PortfolioFile>) =>
  readWorkbook((path) => writeSheets(path, sheets), given);

describe('sheets that are hidden or not read', () => {
  const [old, buyers] = [HEADER + rowOf(2, ['Old', '1']), HEADER + rowOf(2, ['New', '2'])];

  // Promise: first-visible-sheet
  test('a cover without a header is skipped for the first sheet with all needed columns, and the warning lists it', async () => {
    const cover =
      rowOf(1, ['Buyers of 2026']) + rowOf(2, ['Prepared by', 'Treasury']) + rowOf(3, ['Date', '2026-11-02']);
    const { lines, dialect, warnings } = await read([
      { name: 'Cover', rows: cover },
      { name: 'Notes', rows: rowOf(1, ['name', 'remark']) },
      { name: 'Buyers', rows: buyers },
      { name: 'Last year', rows: old },
    ]);
    expect(dialect.sheet).toBe('Buyers');
    expect(lines).toMatchObject([{ kind: 'row', row: { name: 'New' } }]);
    expect(warnings[0]?.message).toContain('The sheet "Buyers" is read, but not "Cover", "Notes" and "Last year"');
  });

  test.each<[string, string]>([
    ['has columns that need a mapping', rowOf(1, ['name', 'country_code', 'Wunsch']) + rowOf(2, ['A', 'DE', '5'])],
    ['has one known column', rowOf(1, ['name', 'Wunsch']) + rowOf(2, ['A', '5'])],
    [
      'is a list below unknown column names',
      rowOf(1, ['Ostaja', 'Summa']) + rowOf(2, ['A', '50']) + rowOf(3, ['B', '1.000,00']),
    ],
    ['cannot be read', '<row><c'],
  ])('a first sheet that %s is read, and no other sheet in its place', async (_what, rows) => {
    const sheets = [
      { name: 'First', rows },
      { name: 'Last year', rows: old },
    ];
    const found = await read(sheets).catch((error: Error) => error);
    if (found instanceof Error) expect(found.message).toContain('cannot be read');
    else expect(found).toMatchObject({ dialect: { sheet: 'First' }, lines: [] });
  });

  // Promise: first-visible-sheet
  test('a hidden first sheet is not read, and the warning lists the sheets left out', async () => {
    const sheets: Sheet[] = [
      { name: 'Archive', state: 'hidden', rows: old },
      { name: 'Macro', state: 'veryHidden', rows: old },
      { name: 'Chart', type: 'chartsheet', rows: old },
      { name: 'Buyers', rows: buyers },
      { name: 'Empty' },
      { name: 'Notes', rows: '<row><c t="inlineStr"><is><t>Ask Eva</t></is></c></row>' },
      { name: 'Broken', rows: '<row><c' },
    ];
    const { lines, dialect, warnings } = await read(sheets);
    expect(dialect.sheet).toBe('Buyers');
    expect(lines).toMatchObject([{ kind: 'row', row: { name: 'New' } }]);
    expect(warnings[0]?.message).toBe(
      'The sheet "Buyers" is read, but not "Archive" (hidden), "Macro" (hidden), "Notes" and "Broken", although they have content: --sheet NAME reads another one.',
    );
  });

  // Promise: first-visible-sheet
  test('a given sheet is read even if it is hidden, without a warning about others', async () => {
    const sheets: Sheet[] = [
      { name: 'Buyers', rows: buyers },
      { name: 'Archive', state: 'hidden', rows: old },
    ];
    const { lines, warnings } = await read(sheets, { sheet: 'Archive' });
    expect(lines).toMatchObject([{ row: { name: 'Old' } }]);
    expect(warnings.filter(({ message }) => message.includes('sheet'))).toEqual([]);
  });
});
