import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';
import { HEADER, writeSheets } from '../../support/write-workbook.ts';

async function leftOut(name: string, content: Buffer, line: number) {
  const { context, dir } = await openWorkplace();
  const { desk } = openDraftDesk(context, dir);
  const file = { field: 'file', name, content: Readable.from([content]) };
  const draft = draftOf(await desk.receive(incoming([file]), undefined, 'ann'));
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: [{ line, isLeftOut: true }] }, 'ann');
  return (await previewOf(desk, draft)).counts;
}

test('a row of a sheet with formulas and cells beyond the header is left out', async () => {
  const { dir } = await openWorkplace();
  const row = (n: number, cells: string) => `<row r="${n}">${cells}</row>`;
  const text = (at: string, words: string) => `<c r="${at}" t="str"><v>${words}</v></c>`;
  const rows =
    HEADER +
    row(2, `${text('A2', 'A GmbH')}<c r="B2" t="str"><f>1+1</f><v>x</v></c>${text('D2', 'more')}`) +
    row(3, `${text('A3', 'B GmbH')}<c r="B3"><v>5</v></c>`);
  const path = await writeSheets(join(dir, 'book.xlsx'), [{ name: 'Buyers', rows }]);
  expect(await leftOut('book.xlsx', await readFile(path), 2)).toMatchObject({ rows: 1, invalid: 0 });
});
