import exceljs, { type CellValue } from 'exceljs';
import { expect, test } from 'vitest';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { readResolutionFile } from '../../../src/portfolio/results/resolution-file.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { readWorkbook } from '../../support/workbooks.ts';

const STRUCK = { font: { strike: true } };

/** Writes a workbook; a line goes through the cells that `struck` names. */
async function write(path: string, rows: CellValue[][], struck: string[]): Promise<void> {
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet('Buyers');
  sheet.addRows(rows);
  for (const cell of struck) sheet.getCell(cell).font = STRUCK.font;
  await book.xlsx.writeFile(path);
}

/** A text with a part that is struck through, as a person leaves it who writes the new amount behind the old one. */
const replaced = (before: string, now: string): CellValue => ({
  richText: [{ ...STRUCK, text: before }, { text: now }],
});

// Promise: struck-rows-not-requested
test('a row with a line through its name or amount is no buyer, and other cells may have one', async () => {
  const rows: CellValue[][] = [
    ['name', 'requested_limit', 'city'],
    ['Alpha', 1_000, 'Bonn'],
    ['Beta', 2_000, 'Ulm'],
    ['Gamma', 3_000, 'Kiel'],
    ['Delta', replaced('4000', '7000'), 'Köln'],
    ['Epsilon', 5_000, 'Jena'],
    [{ richText: [{ font: { bold: true }, text: 'Zeta' }] }, 6_000, 'Gera'],
  ];
  const { lines } = await readWorkbook((path) => write(path, rows, ['A2', 'B3', 'C4']));
  expect(lines.map(({ kind, line }) => [line, kind])).toEqual([
    [2, 'invalid'],
    [3, 'invalid'],
    [4, 'row'],
    [5, 'invalid'],
    [6, 'row'],
    [7, 'row'],
  ]);
  expect(lines[0]).toMatchObject({ problems: [{ message: expect.stringContaining('struck through') }] });
});

// Promise: struck-rows-not-requested
test('a decision and an answer that are struck through do nothing', async () => {
  const { dir } = await makeTemporaryFolder();
  const told = { at: 2, message: expect.stringContaining('struck through') };
  const decisions = [
    ['buyer_limit_id', 'status', 'total_limit', 'note'],
    ['bl_1', 'rejected', 0],
    ['bl_2', 'rejected', 0, 'by phone'],
    ['bl_3'],
  ];
  await write(`${dir}/decisions.xlsx`, decisions, ['B2', 'D3', 'A4']);
  const read = await readDecisionsFile(`${dir}/decisions.xlsx`, { now: new Date('2026-11-21T00:00:00Z') });
  expect(read).toMatchObject({ problems: [told], decisions: [{ id: 'bl_2' }], silent: 1 });

  await write(
    `${dir}/answers.xlsx`,
    [
      ['row', 'id'],
      ['q4/a', 'resend'],
      ['q4/b', 'resend'],
    ],
    ['B2'],
  );
  const answers = await readResolutionFile(`${dir}/answers.xlsx`, 'a');
  expect(answers).toMatchObject({ problems: [told], words: [{ row: 'q4/b' }] });
});
