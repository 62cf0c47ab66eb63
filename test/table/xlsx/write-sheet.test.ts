import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { CellKind } from '../../../src/table/xlsx/cell-xml.ts';
import { LIMITS } from '../../../src/table/xlsx/parse-xml.ts';
import { writeSheet } from '../../../src/table/xlsx/write-sheet.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const KINDS: Record<string, CellKind> = { amount: 'amount', day: 'day', updated: 'moment' };
const kindOf = (name = '') => KINDS[name] ?? 'text';

async function* given(records: Iterable<string[]>): AsyncGenerator<string[]> {
  yield* records;
}

/** The sheet that exceljs finds in a workbook of Limitline. */
async function readByExceljs(records: Iterable<string[]>, name = 'q4') {
  const { dir } = await makeTemporaryFolder();
  const path = join(dir, 'out.xlsx');
  await writeSheet(given(records), createWriteStream(path), { name, kindOf });
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(path);
  const [sheet] = book.worksheets;
  if (!sheet) throw new Error('no sheet');
  return sheet;
}

describe('another program reads', () => {
  // Promise: workbook-has-numbers
  test('amounts as numbers, days and moments as dates, and other cells as text', async () => {
    const sheet = await readByExceljs([
      ['name', 'amount', 'day', 'updated', 'note'],
      ['=1+1 & <b>', '1234.567', '2026-02-28', '2026-11-21T10:00:42.500Z', '007'],
      ['Tin', '0.5', '1.2.2026', '', '1234.5'],
      ['', '12345678901234567.89', '1850-01-01', 'soon', '2026-02-28'],
      ['Lead', '1.234 ?', '', '', 'a\r\nb _x000D_'],
    ]);
    const values = (line: number) => [1, 2, 3, 4, 5].map((at) => sheet.getCell(line, at).value);
    expect(values(1)).toEqual(['name', 'amount', 'day', 'updated', 'note']);
    expect(values(2)).toEqual([
      '=1+1 & <b>',
      1234.567,
      new Date('2026-02-28T00:00:00.000Z'),
      new Date('2026-11-21T10:00:42.500Z'),
      '007',
    ]);
    expect(values(3)).toEqual(['Tin', 0.5, '1.2.2026', null, '1234.5']);
    expect(values(4)).toEqual([null, '12345678901234567.89', '1850-01-01', 'soon', '2026-02-28']);
    expect(values(5).slice(0, 2)).toEqual(['Lead', '1.234 ?']);
    expect([2, 3, 4].map((at) => sheet.getCell(2, at).numFmt)).toEqual([
      '#,##0.00########',
      'yyyy-mm-dd',
      'yyyy-mm-dd hh:mm:ss',
    ]);
  });

  // Promise: workbook-has-numbers
  test('a bold, frozen header, and columns as wide as their content', async () => {
    const name = 'Buyer with a name of some length GmbH';
    const sheet = await readByExceljs([
      ['name', 'no'],
      [name, '7'],
      ['x'.repeat(500), '8'],
    ]);
    expect(sheet.getCell('A1').font.bold).toBe(true);
    expect(sheet.getCell('A2').font?.bold).not.toBe(true);
    expect(sheet.views).toEqual([expect.objectContaining({ state: 'frozen', ySplit: 1 })]);
    expect(sheet.getColumn(1).width).toBe(62);
    expect(sheet.getColumn(2).width).toBe(10);
  });

  test('a sheet with only a header, and an empty sheet', async () => {
    expect((await readByExceljs([['name']])).rowCount).toBe(1);
    expect((await readByExceljs([])).rowCount).toBe(0);
  });

  test('more records than the column widths depend on, and text of the maximum length', async () => {
    const lines = Array.from({ length: 450 }, (_none, n) => [`Buyer ${n}`, `${n}.25`]);
    const sheet = await readByExceljs([['name', 'amount'], ...lines, ['x'.repeat(40_000), '']], 'History');
    expect(sheet.name).toBe('History-');
    expect(sheet.rowCount).toBe(452);
    expect(sheet.getCell('B451').value).toBe(449.25);
    expect(String(sheet.getCell('A452').value)).toHaveLength(32_767);
  });
});

test('more records than a sheet has rows are an error that proposes --format csv', async () => {
  function* tooMany(): Generator<string[]> {
    for (let n = 0; n <= LIMITS.rows; n += 1) yield [];
  }
  const to = new PassThrough().resume();
  await expect(writeSheet(given(tooMany()), to, { name: 'q4', kindOf })).rejects.toThrow('--format csv');
});

test('an error while a workbook is written ends the writing', async () => {
  const { dir } = await makeTemporaryFolder();
  const writing = writeSheet(
    (async function* () {
      yield ['name'];
      throw new Error('the ledger is gone');
    })(),
    createWriteStream(join(dir, 'out.xlsx')),
    { name: 'q4', kindOf: () => 'text' },
  );
  await expect(writing).rejects.toThrow('the ledger is gone');
});
