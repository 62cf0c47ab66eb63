import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { ReadOptions } from '../../../src/portfolio/read-options.ts';
import { makeEncoder } from '../../../src/table/encodings/encoders.ts';
import { MAX_RECORD_LENGTH } from '../../../src/table/physical-lines.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { HEADER, writeWorkbook, writeZip } from '../../support/workbooks.ts';
import { type ExportWish, exportedBytes, openWorkplace } from '../../support/workplace.ts';

type Format = Pick<ExportWish, 'format' | 'likeInput'>;

/** The bytes of the errors file. */
const errorsOf = (context: Context, format: Format = {}): Promise<Buffer> =>
  exportedBytes(context, { only: 'errors', ...format });

const rowsOf = (csv: Buffer | string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

/** A workplace with this imported file, and a function that imports its errors file with or without changes. */
async function openErrors(content: string | Buffer, reading: ReadOptions = {}, format: Format = {}) {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, content);
  const first = await place.importFile(path, reading);
  return {
    ...place,
    first,
    errors: () => errorsOf(place.context, format),
    async again(mended?: (text: string) => string, readingAgain: ReadOptions = {}) {
      const bytes = await errorsOf(place.context, format);
      const next = join(place.dir, `errors.${format.format ?? 'csv'}`);
      await writeFile(next, mended ? mended(bytes.toString()) : bytes);
      return place.importFile(next, readingAgain);
    },
  };
}

/** Lines that are broken as records or contain hidden text. From their cells alone, they would be good lines. */
const BROKEN: [string, string | Buffer, RegExp][] = [
  ['too many cells', 'Acme,1,000,wide', /^Acme,1,000,wide$/],
  ['too few cells', 'Cutoff,700', /^Cutoff,700$/],
  ['a lost quotation mark', '"Lost,900,unclosed', /^"Lost,900,unclosed$/],
  ['a quotation mark inside', 'Pipe 5",900,x', /^Pipe 5",900,x$/],
  ['a line inside', 'Acme,100,"terms:\nBeta,500000,no\nsee mail"', /^Acme,100,"terms:␊Beta,500000,no␊see mail"$/],
  ['a length beyond all', `Long,77,${'x'.repeat(MAX_RECORD_LENGTH)}`, /^Long,77,x{1,1100}…$/],
  ['a damaged byte in an own column', Buffer.from('Acme,77,M\xfcller', 'latin1'), /^Acme,77,M\ufffdller$/],
  ['a control character in an own column', 'Acme,77,x\x07y', /^Acme,77,x␇y$/],
];

describe('an unchanged errors file', () => {
  describe.each<Format>([{ format: 'csv' }, { format: 'xlsx' }])('as %o', (format) => {
    // A workbook cell cannot hold all of these texts.
    // Promise: unmended-line-stays-problem
    test.each(format.format === 'csv' ? BROKEN : BROKEN.slice(4, 6))(
      'requests nothing for a line with %s, and shows the line',
      async (_name, line, shown) => {
        const file = Buffer.concat([Buffer.from('name,requested_limit,note\n'), Buffer.from(line), Buffer.from('\n')]);
        const { first, again, context } = await openErrors(file, { encoding: 'utf-8' }, format);
        expect(first).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
        for (const round of [1, 2]) {
          expect(await again(), `round ${round}`).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
          const [row = {}] = rowsOf(await errorsOf(context));
          expect(row).toMatchObject({ name: '', requested_limit: '', note: '' });
          expect(row.limitline_line).toMatch(shown);
          expect(Object.keys(row).slice(-5).join()).toBe('row,limitline_line,problem,limitline_account,limitline_from');
        }
      },
    );

    // Promise: unmended-line-stays-problem
    test('requests nothing for a total or a hidden row', async () => {
      const { dir } = await makeTemporaryFolder();
      const row = (n: number, name: string, limit: number, more = '') =>
        `<row r="${n}"${more}><c r="A${n}" t="str"><v>${name}</v></c><c r="B${n}"><v>${limit}</v></c></row>`;
      const sheet = [HEADER, row(2, 'Acme', 100), row(3, 'Unseen', 200, ' hidden="1"'), row(4, 'Summe', 300)];
      const content = await readFile(await writeWorkbook(join(dir, 'a.xlsx'), { sheet }));
      const { first, again, context } = await openErrors(content, {}, format);
      expect(first).toMatchObject({ lines: 3, rows: 1, invalid: 2 });
      // The first line is included because its row waits.
      expect(await again()).toMatchObject({ lines: 3, rows: 1, invalid: 2 });
      const lines = rowsOf(await errorsOf(context)).map((one) => one.limitline_line);
      expect(lines.toSorted()).toEqual(['', 'Summe,300', 'Unseen,200']);
    });

    test('keeps a total of a wide table unchanged in each round', async () => {
      const own = ['Ort', 'Land', 'Website', 'Rating', 'Notiz', 'Filiale'];
      const lines = [
        ['name', 'requested_limit', ...own],
        ['Acme', '-1', ...own],
        ['Summe', '300', ...own.map(() => '')],
      ];
      const { again, context } = await openErrors(`${lines.map((line) => line.join()).join('\n')}\n`, {}, format);
      for (const round of [1, 2, 3]) {
        const found = rowsOf(await errorsOf(context)).map((one) => one.limitline_line);
        expect(found, `round ${round}`).toEqual(['', 'Summe,300,,,,,,']);
        expect(await again(), `round ${round}`).toMatchObject({ lines: 2, rows: 0, invalid: 2 });
      }
    });

    test('requests nothing for a name with a damaged letter', async () => {
      const file = Buffer.from('name,requested_limit,note\nM\xfcller,800,x\nBell\x07,1,y\n', 'latin1');
      const { again, context } = await openErrors(file, { encoding: 'utf-8' }, format);
      expect(await again()).toMatchObject({ lines: 2, rows: 0, invalid: 2 });
      const [row] = rowsOf(await errorsOf(context));
      expect(row).toMatchObject({ name: 'M\ufffdller', requested_limit: '800', limitline_line: '' });
    });
  });

  test('is UTF-8 if its encoding cannot represent the damaged letter, and requests nothing for it', async () => {
    const file = Buffer.concat([
      Buffer.from('name,requested_limit\nM'),
      Buffer.of(0x81, 0x20),
      Buffer.from('ller,8\n'),
    ]);
    const { first, again, errors } = await openErrors(file, { encoding: 'shift_jis' }, { likeInput: 'all' });
    expect(first).toMatchObject({ invalid: 1 });
    const mended = rowsOf((await errors()).toString().replace('\ufeff', ''));
    expect(mended).toMatchObject([{ name: 'M\ufffd ller', requested_limit: '8', limitline_line: '' }]);
    expect(await again(undefined, { encoding: 'shift_jis' })).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
  });

  test('keeps the earlier text of a line that was hidden in it and not corrected', async () => {
    // This is the form before 0.2, without limitline_from.
    const header = 'name,requested_limit,row,limitline_line,problem,limitline_account';
    const { dir } = await makeTemporaryFolder();
    const cells = (n: number, values: string[], more = '') =>
      `<row r="${n}"${more}>${values.map((one, at) => `<c r="${'ABCDEF'[at]}${n}" t="str"><v>${one}</v></c>`).join('')}</row>`;
    const text = 'Unseen,200';
    const sheet = [
      cells(1, header.split(',')),
      cells(2, ['', '', '', text, 'It is hidden', 'stand-in'], ' hidden="1"'),
    ];
    const content = await readFile(await writeWorkbook(join(dir, 'a.xlsx'), { sheet }));
    const { first, context } = await openErrors(content);
    expect(first).toMatchObject({ rows: 0, invalid: 1 });
    expect(rowsOf(await errorsOf(context)).map((one) => one.limitline_line)).toEqual([text]);
  });

  test('like the input keeps cells in its encoding', async () => {
    const file = makeEncoder('shift_jis')('name,requested_limit\n株式会社,-8\n');
    const { errors } = await openErrors(file, { encoding: 'shift_jis' }, { likeInput: 'all' });
    expect(new TextDecoder('shift_jis').decode(await errors())).toContain('\n株式会社,-8,,,');
  });

  // Promise: errors-file-keeps-currency
  test.each([{ 'Kreditlimit (EUR)': 'requested_limit' } as const, { Kunde: 'name' } as const])(
    'keeps the currency that only the header names, mapped as %o',
    async (columns) => {
      const { again, context } = await openErrors('Kunde,Kreditlimit (EUR),contact_email\nAcme,1000,anna\n', {
        mapping: { columns: { Kunde: 'name', ...columns }, constants: {} },
      });
      expect(await again((text) => text.replace('anna', ''))).toMatchObject({ rows: 1, invalid: 0 });
      const imports = await context.portfolios.allImports('q4');
      expect(imports.map(({ found }) => found?.currency)).toEqual(['EUR', 'EUR']);
    },
  );

  // Promise: errors-file-keeps-currency
  test('keeps the currency that only the header of another file of the portfolio names', async () => {
    const { again, context, dir, importFile } = await openErrors('name,Kreditlimit (EUR)\nAcme,none\n');
    const path = join(dir, 'other.csv');
    await writeFile(path, 'Firma,Limit EUR,contact_email\nBeta,1000,anna\n');
    await importFile(path);
    await again((text) => text.replace('anna', ''));
    const imports = await context.portfolios.allImports('q4');
    expect(imports.map(({ found }) => found?.currency)).toEqual(['EUR', 'EUR', 'EUR']);
  });

  test('gives a line in another currency none of the header', async () => {
    const mapping = { columns: { 'Kreditlimit (EUR)': 'requested_limit' as const }, constants: {} };
    const file = 'name,Kreditlimit (EUR),country_code\nAcme,1000,xx\nBeta,1000 USD,\n';
    const { again, errors } = await openErrors(file, { mapping });
    expect(rowsOf(await errors()).map(({ currency }) => currency)).toEqual(['EUR', '']);
    const alone = (text: string) => text.replace(/^Acme.*\s+/m, '').replace('? ', '');
    expect(await again(alone)).toMatchObject({ rows: 1, invalid: 0 });
  });

  test('gives each line the constants of the mapping, except the amount of a broken line', async () => {
    const mapping = { columns: {}, constants: { requested_limit: '5', country_code: 'DE' } };
    const { again, errors } = await openErrors('name,note\nAcme,x,y\n', { mapping });
    expect(rowsOf(await errors())).toMatchObject([{ name: '', country_code: 'DE', requested_limit: '' }]);
    expect(await again()).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
  });
});

describe('ambiguous amounts and dates in an errors file', () => {
  const AMOUNTS = 'name;requested_limit;contact_email\nA;1.234;a@b.example\nB;2,50;b(at)b.example\nC;3.5;c@b.example\n';

  // Promise: open-amounts-marked
  test('stay ambiguous until a person gives the convention, whatever else is corrected', async () => {
    const { first, again, errors } = await openErrors(AMOUNTS);
    expect(first).toMatchObject({ rows: 1, invalid: 2 });
    for (const _round of [1, 2]) {
      const found = await again((text) => text.replace('(at)', '@'));
      expect(found.problems).toMatchObject([{ line: 2, message: expect.stringContaining('--decimal comma') }]);
      expect(rowsOf(await errors())[0]).toMatchObject({ name: 'A', requested_limit: '1.234 ?' });
    }
    // The file also has decimal points, so the option for commas leads to problems.
    expect((await again(undefined, { decimal: ',' })).problems).toMatchObject([
      { line: 4, column: 'requested_limit' },
      { line: 4, column: null },
    ]);
    expect(rowsOf(await errors())).toContainEqual(expect.objectContaining({ name: 'A', requested_limit: '1234' }));
  });

  test('make the whole column ambiguous in which they stand', async () => {
    const { again } = await openErrors(AMOUNTS);
    const found = await again((text) => text.replace('"2,50",b(at)', '5.678,b@'));
    expect(found.problems.map(({ line }) => line)).toEqual([2, 3]);
  });

  test('stay problems without the convention that refused them', async () => {
    const file = 'name,requested_limit,statements_dated\nA,3.5,\nB,5,04/25/2026\n';
    const { first, again } = await openErrors(file, { decimal: ',', dates: 'dmy' });
    expect(first).toMatchObject({ rows: 0, invalid: 2 });
    for (const _round of [1, 2]) expect(await again()).toMatchObject({ rows: 0, invalid: 2 });
    expect(await again(undefined, { decimal: ',', dates: 'dmy' })).toMatchObject({ rows: 0, invalid: 2 });
    expect(await again(undefined, { decimal: '.', dates: 'mdy' })).toMatchObject({ rows: 2, invalid: 0 });
  });

  test('are written without doubt if they had a spreadsheet apostrophe', async () => {
    const { again, errors } = await openErrors(`name,requested_limit\nA,'+€ 1.234\nB,"2,50"\n`);
    expect(rowsOf(await errors())[0]).toMatchObject({ requested_limit: '1234' });
    expect(await again((text) => text.replace('2,50', '2.5'))).toMatchObject({ rows: 2, invalid: 0 });
    expect(rowsOf(await errors())[0]).toMatchObject({ requested_limit: '1234' });
  });

  test.each<[string, string[], string[]]>([
    ['commas', ['1.234', '0,5'], ['1234', '0,5']],
    ['nothing', ['1.234'], ['1.234 ?']],
  ])('do not change the numbers of a workbook whose texts show %s', async (_name, texts, kept) => {
    const { dir, context, importFile, report } = await openWorkplace();
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
    const amounts = [...texts.map(cell), '<c><v>1.234</v></c>', '<c><v>1500.25</v></c>'];
    const rows = amounts.map((amount, n) => `<row>${cell(`Buyer ${n}`)}${amount}</row>`);
    const header = `<row>${cell('name')}${cell('requested_limit')}</row>`;
    const path = await writeZip(join(dir, 'q4.xlsx'), {
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Buyers" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${header}${rows.join('')}</sheetData></worksheet>`,
    });
    const first = await importFile(path);
    const errors = await errorsOf(context);
    expect(rowsOf(errors).map((row) => row.requested_limit)).toEqual([...kept, '1.2340', '1500.25']);
    const next = join(dir, 'errors.csv');
    await writeFile(next, errors);
    expect(await importFile(next)).toMatchObject({ rows: first.rows, invalid: first.invalid });
    expect((await report()).rows).toBe(first.rows);
  });

  // Promise: open-amounts-marked
  test('may be dates as well', async () => {
    const header = 'name,requested_limit,statements_dated,contact_email\n';
    const { again } = await openErrors(`${header}A,1,05/04/2025,\nB,1,31/12/2024,x\nC,1,12/31/2024,\n`);
    const found = await again((text) => text.replace(',x,', ',,'));
    expect(found.problems).toMatchObject([{ line: 2, message: expect.stringContaining('--dates dmy') }]);
    expect((await again(undefined, { dates: 'dmy' })).problems).toMatchObject([{ line: 4 }]);
  });

  test('are found in a line that a lost quotation mark swallowed', async () => {
    const { again } = await openErrors(AMOUNTS);
    const found = await again(() => 'name,requested_limit,note\nA,1,"x\nB,1.234 ?,y"\n');
    expect(found).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
  });
});

test('a broken line whose cells were filled in is requested', async () => {
  const { again, errors, work, settled, standIn } = await openErrors('name,requested_limit\nAcme,1,000\nTin,2\n');
  await again((text) => text.replace(',,,"Acme,1,000"', 'Acme,1000,,"Acme,1,000"'));
  await work();
  expect(await settled()).toMatchObject({ rows: 2, invalid: 0, states: { done: 2 } });
  expect(
    standIn
      .things('limit')
      .map(({ body }) => Object(body).requested_limit)
      .sort(),
  ).toEqual([1000, 2]);
  expect(rowsOf(await errors())).toEqual([]);
});

// Promise: errors-file-imported-again
test('a list whose own columns have the names of results columns gets an importable errors file', async () => {
  const own = 'state,status,buyer_limit_id,total_limit,outcome,problem,row,line';
  const { first, again, errors } = await openErrors(
    `name,requested_limit,${own}\nAcme,0,BY,ours,bl_ours,5,fine,none,r7,l7\n`,
  );
  expect(first).toMatchObject({ rows: 0, invalid: 1 });
  expect(await again()).toMatchObject({ lines: 1, rows: 0, invalid: 1 });
  expect(await again((text) => text.replace('Acme,0,', 'Acme,10,'))).toMatchObject({ lines: 1, rows: 1, invalid: 0 });
  const [header = '', line = ''] = (await errors()).toString().split(/\r?\n/);
  expect(header).toBe(`name,requested_limit,${own},row,limitline_line,problem,limitline_account,limitline_from`);
  expect(line).toMatch(/^Acme,10,BY,ours,bl_ours,5,fine,none,r7,l7,/);
});
