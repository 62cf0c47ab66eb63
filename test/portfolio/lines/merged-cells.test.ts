import { expect, test } from 'vitest';
import { readWorkbook, writeWorkbook } from '../../support/workbooks.ts';

const row = (line: number, ...cells: string[]) =>
  `<row r="${line}">${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`;

/** A workbook with a title, a header and three buyers, the second and third without a country, and these merged cells. */
const workbook = (...merged: string[]) =>
  readWorkbook((path) =>
    writeWorkbook(path, {
      sheet: [
        row(1, 'Limits of October'),
        row(2, 'country_code', 'name', 'requested_limit', 'Remark'),
        row(3, 'DE', 'Elm', '1000', 'known'),
        row(4, '', 'Oak', '2000', ''),
        row(5, '', 'Ash', '3000', ''),
        `<mergeCells>${merged.map((one) => `<mergeCell ref="${one}"/>`).join('')}</mergeCells>`,
      ],
    }),
  );

const warningsOf = ({ warnings }: { warnings: { message: string }[] }) =>
  warnings.filter(({ message }) => message.startsWith('Cells are merged'));

// Promise: merged-cells-warned
test('cells of a column that is read, merged over several lines, are a warning of the file that names the first of them', async () => {
  const read = await workbook('A1:A2', 'D3:D5', 'A3:A5', 'B4:C4', 'C4:C5');
  expect(warningsOf(read)).toEqual([
    {
      line: 0,
      column: 'country_code',
      value: 'A3:A5',
      message:
        'Cells are merged over several lines. The sheet shows one value for all of them, but only the first line has it, and an empty cell of the others counts as empty. Unmerge the cells, and fill in each line.',
    },
  ]);
  expect(read.lines.map((line) => line.kind === 'row' && line.row.company.address?.country_code)).toEqual([
    'DE',
    undefined,
    undefined,
  ]);
});

test('cells that are merged in one line, above the header or in a column that is not read are no warning', async () => {
  expect(warningsOf(await workbook('A1:D1', 'A1:A2', 'B4:C4', 'D3:D5', 'F1:F9', 'nonsense'))).toEqual([]);
});
