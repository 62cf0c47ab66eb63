import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { makeEncoder } from '../../../src/table/encodings/encoders.ts';
import { exportedBytes, openWorkplace } from '../../support/workplace.ts';

const rowsOf = (csv: Buffer | string): Record<string, string>[] =>
  parse(csv, { columns: true, bom: true, relax_column_count: true });

describe('results', () => {
  test('of a file with title rows are read alike, and their errors file can be imported', async () => {
    const place = await openWorkplace();
    const path = join(place.dir, 'q4.csv');
    const titles = 'Debitorenliste, Q4;;\r\nStand: 31.12.2025;;\r\n;;\r\n';
    await writeFile(path, `${titles}Customer Name;Kreditlimit (EUR);Notiz\r\nA;1,50;x\r\nB;nothing;y\r\n`);
    await place.importFile(path);
    const all = rowsOf(await exportedBytes(place.context));
    const { file } = await place.context.portfolios.read('q4');
    // The dialect is stored, because a later version may detect another one.
    expect(JSON.parse(file?.reading ?? '')).toEqual({ encoding: 'utf-8', delimiter: ';', headerLine: 4 });
    expect(all.map((row) => [row['Customer Name'], row.line, row.state])).toEqual([
      ['A', '5', 'queued'],
      ['B', '6', 'invalid'],
    ]);
    const errors = await exportedBytes(place.context, { only: 'errors', likeInput: 'all' });
    expect(errors.toString()).toMatch(/^Customer Name;Kreditlimit \(EUR\);Notiz;/);
    const mended = join(place.dir, 'errors.csv');
    await writeFile(mended, errors.toString().replace('nothing', '2'));
    await place.importFile(mended);
    const again = rowsOf(await exportedBytes(place.context));
    expect(again.map((row) => [row['Customer Name'], row.state])).toEqual([
      ['A', 'queued'],
      ['B', 'queued'],
    ]);
  });

  // Promise: header-line-is-named
  test('of a file whose header line a person gave are read with that header', async () => {
    const place = await openWorkplace();
    const path = join(place.dir, 'q4.csv');
    await writeFile(path, 'Name;Limit\nold;1\nName;Limit\nA;2\n');
    await place.importFile(path, { headerLine: 3 });
    expect(rowsOf(await exportedBytes(place.context))).toMatchObject([{ Name: 'A', line: '4', state: 'queued' }]);
  });

  test.each(['utf-8', 'utf-16le', 'windows-1252', 'shift_jis'])(
    'like the input use its encoding, delimiter and line ends: %s',
    async (encoding) => {
      const name = encoding === 'shift_jis' || encoding === 'gb18030' ? '株式会社' : 'Müller';
      const place = await openWorkplace();
      const mark = encoding.startsWith('utf-16') ? '\ufeff' : '';
      const text = `${mark}sep=;\r\nname;requested_limit;Konto\r\n"${name}; Söhne";1.234,50;0815\r\n`.replaceAll(
        'ö',
        mark === '' && name !== 'Müller' ? 'o' : 'ö',
      );
      const path = join(place.dir, 'q4.csv');
      await writeFile(path, makeEncoder(encoding)(text));
      await place.importFile(path, { encoding });
      const bytes = await exportedBytes(place.context, { likeInput: 'all' });
      expect(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)).toMatch(
        `${text.split('Konto')[0]}Konto;row;import;line;state;step;`,
      );
      const back = join(place.dir, 'back.csv');
      await writeFile(back, bytes);
      const opened = await openPortfolio({ path: back, encoding });
      for await (const [line] of opened.batches())
        expect(line?.cells.slice(0, 3)).toEqual([expect.stringContaining(name), '1.234,50', '0815']);
    },
  );

  test.each([
    ['iso-2022-jp', Buffer.from('\x1b$B3t\x1b(B', 'latin1'), '株'],
    ['gb18030', Buffer.from([0x94, 0x39, 0xfc, 0x36]), '😀'],
  ])('like the input are UTF-8, with a message, if the encoding cannot represent everything: %s', async (...one) => {
    const [encoding, bytes, name] = one;
    const place = await openWorkplace();
    const path = join(place.dir, 'q4.csv');
    await writeFile(path, Buffer.concat([Buffer.from('name;requested_limit\r\n'), bytes, Buffer.from(';1\r\n')]));
    await place.importFile(path, { encoding });
    const told: string[] = [];
    const written = await exportedBytes(place.context, { likeInput: 'all', told });
    expect(written.toString()).toMatch(
      new RegExp(`^\ufeffname;requested_limit;row;.*\r\n${name};1;q4/[^;]+;q4\\.csv #1;2;queued;`),
    );
    expect(told).toEqual([expect.stringContaining(`${encoding.toUpperCase()} cannot`)]);
    await exportedBytes(place.context, { only: 'errors', told });
    expect(told).toHaveLength(1);
  });

  test('contain no spreadsheet formulas, and keep numbers as numbers', async () => {
    const place = await openWorkplace();
    const cells = ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '-1.234,56', '+49 89 1234', '-', 'a=b', "'=x"];
    const lines = cells.map((cell, n) => `Buyer ${n},1,"${cell}"`);
    await place.import(['name,requested_limit,note', ...lines]);
    const notes = rowsOf(await exportedBytes(place.context)).map((row) => row.note);
    expect(notes).toEqual(["'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", '-1.234,56', '+49 89 1234', "'-", 'a=b', "'=x"]);
  });
});

test('an errors workbook can be imported, and the results of that import keep its cells', async () => {
  const place = await openWorkplace();
  await place.import(['name,requested_limit,note', 'Acme,1000.50,=1+1', ',1,x']);
  const path = join(place.dir, 'out.xlsx');
  await writeFile(path, await exportedBytes(place.context, { only: 'errors', format: 'xlsx' }));
  expect(await place.importFile(path)).toMatchObject({ lines: 2, rows: 1, invalid: 1 });
  const csv = rowsOf(await exportedBytes(place.context));
  expect(csv).toEqual([
    // The workbook stores a number, which has no trailing zeros.
    expect.objectContaining({ name: 'Acme', requested_limit: '1000.5', note: "'=1+1" }),
    expect.objectContaining({ problem: expect.stringContaining('name') }),
  ]);
});

// Promise: results-for-a-spreadsheet
test('in a workbook have real numbers and dates', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  await writeFile(
    path,
    'Firma;Requested Limit;statements_dated;Konto\nTin;1.234,50;28.02.2026;0815\nZinc;2,5;;1\nLead;drei;;2\n',
  );
  await place.importFile(path);
  const book = new exceljs.Workbook();
  const workbook = join(place.dir, 'out.xlsx');
  await writeFile(workbook, await exportedBytes(place.context, { format: 'xlsx' }));
  await book.xlsx.readFile(workbook);
  const [sheet] = book.worksheets;
  const header = sheet?.getRow(1).values as string[];
  const column = (name: string) => [2, 3, 4].map((line) => sheet?.getCell(line, header.lastIndexOf(name)).value);
  expect(column('Requested Limit')).toEqual([1234.5, 2.5, 'drei']);
  expect(column('statements_dated')).toEqual([new Date('2026-02-28T00:00:00.000Z'), null, null]);
  expect(column('Konto')).toEqual(['0815', '1', '2']);
  expect(column('updated')).toEqual([expect.any(Date), expect.any(Date), null]);
});

describe('an errors file', () => {
  test('is read alike without its good lines, without the mapping and without formulas', async () => {
    const place = await openWorkplace();
    const mapping = {
      columns: { Kunde: 'name', Betrag: 'requested_limit' },
      constants: { country_code: 'GB' },
    } as const;
    const reading = { mapping: { ...mapping, columns: { ...mapping.columns } } };
    const path = join(place.dir, 'q4.csv');
    const lines = ['Kunde;Betrag;E-Mail', '=Acme;1.234;a@b.example', 'Zinc;1,234;nobody', 'Tin;7,5;', 'Lead;1.235;x'];
    await writeFile(path, lines.join('\r\n'));
    await place.importFile(path, reading);
    const errors = join(place.dir, 'errors.csv');
    await writeFile(errors, await exportedBytes(place.context, { only: 'errors' }));
    const text = await readFile(errors, 'utf8');
    expect(rowsOf(text)).toEqual([
      expect.objectContaining({
        name: "'=Acme",
        requested_limit: '1234',
        country_code: 'GB',
        problem: 'It is waiting.',
      }),
      expect.objectContaining({ name: 'Zinc', requested_limit: '1.2340', problem: expect.stringContaining('E-Mail') }),
      expect.objectContaining({ name: 'Tin', requested_limit: '7,5' }),
      expect.objectContaining({ name: 'Lead', requested_limit: '1235', problem: expect.stringContaining('E-Mail') }),
    ]);
    await writeFile(errors, text.replace('nobody', 'z@b.example').replace(',x,', ',,'));
    const again = await place.importFile(errors);
    expect(again).toMatchObject({ lines: 4, rows: 4, invalid: 0 });
    // The two good lines are the existing rows.
    expect((await place.report()).rows).toBe(4);
  });

  test('names documents so that they are found again, whatever their names begin with', async () => {
    const place = await openWorkplace();
    await mkdir(join(place.dir, 'documents'));
    for (const name of ['-stmt.pdf', '@b.pdf', "'=c.pdf"]) {
      await writeFile(join(place.dir, 'documents', name), '%PDF-1.4\n');
    }
    const names = ['-stmt.pdf', '@b.pdf|-stmt.pdf', "'=c.pdf"];
    const lines = names.map((name, n) => `Buyer ${n},1,${name}`);
    await place.import(['name,requested_limit,supporting_documents', ...lines]);
    const errors = await exportedBytes(place.context, { only: 'errors' });
    expect(rowsOf(errors)[0]?.supporting_documents).toBe("'-stmt.pdf");
    const again = await place.import(errors.toString().trimEnd().split('\r\n'));
    expect(again).toMatchObject({ problems: [], lines: 3, rows: 3, invalid: 0 });
    expect((await place.report()).rows).toBe(3);
  });
});
