import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HEADER, writeFormatted, writeWorkbook } from '../../support/workbooks.ts';
import { exportedText, openWorkplace } from '../../support/workplace.ts';

/** An imported workbook, and functions that correct and import its errors file. */
async function openErrors() {
  const place = await openWorkplace();
  const errors = () => exportedText(place.context, { only: 'errors' });
  return {
    ...place,
    errors,
    async again(mend: (text: string) => string = (text) => text) {
      const path = join(place.dir, 'errors.csv');
      await writeFile(path, mend(await errors()));
      return place.importFile(path);
    },
    currencies: async () => (await place.context.portfolios.allImports('q4')).map(({ found }) => found?.currency),
  };
}

const COLUMNS = ['name', 'requested_limit', 'contact_email', 'currency'];

// Promise: errors-file-keeps-currency
test.each([
  ['#,##0 "SEK"', '1234.5', '1234.5 SEK', 'SEK'],
  ['#,##0.00 [$€-407]', '1000', '1000 EUR', 'EUR'],
  ['[$$-409]#,##0', '1000', '1000 $', '$'],
  ['#,##0 "Euro"', '1.234', '1.2340 EUR', 'EUR'],
  ['[$kr.-406] #,##0', '1000', '1000 kr.', 'kr'],
  ['#,##0', '1000', '1000', undefined],
  // A currency word that may mean several currencies is left out.
  ['#,##0 "Dollar"', '1000', '1000', undefined],
  ['#,##0 "Pfund"', '1000', '1000', undefined],
])('an errors file shows the currency that only the number format %s names', async (code, value, cell, currency) => {
  const { dir, importFile, errors, again, currencies } = await openErrors();
  const path = join(dir, 'a.xlsx');
  await importFile(await writeFormatted(path, COLUMNS, [['Acme', { value, code }, 'anna', '']]));
  expect(await errors()).toContain(`Acme,${cell},anna,`);
  expect(await again((text) => text.replace('anna', ''))).toMatchObject({ rows: 1, invalid: 0 });
  expect((await currencies()).at(-1)).toBe(currency);
});

// Promise: errors-file-keeps-currency
test("an amount keeps its form if its line or text names the currency, and a hidden row's text shows the currency", async () => {
  const { dir, importFile, errors } = await openErrors();
  const amount = { value: '1000', code: '#,##0 "SEK"' };
  const lines = [
    ['Acme', amount, 'anna', 'SEK'],
    ['Beta', '1000 SEK', 'anna', ''],
    ['Own', amount, 'anna', 'LCY'],
  ];
  await importFile(await writeFormatted(join(dir, 'a.xlsx'), COLUMNS, lines));
  const text = await errors();
  expect(text).toContain('Acme,1000,anna,SEK');
  expect(text).toContain('Beta,1000 SEK,anna,');
  expect(text).toContain('Own,1000,anna,');
  const sheet = [
    HEADER,
    '<row r="2" hidden="1"><c r="A2" t="str"><v>Unseen</v></c><c r="B2" s="0"><v>200</v></c></row>',
  ];
  const styles = [
    '<numFmt numFmtId="164" formatCode="#,##0 &quot;SEK&quot;"/>',
    '<cellXfs><xf numFmtId="164"/></cellXfs>',
  ];
  await importFile(await writeWorkbook(join(dir, 'b.xlsx'), { sheet, styles }));
  expect(await errors()).toContain('"Unseen,200 SEK"');
});

// Promise: errors-file-keeps-reason
test('a hidden row that nobody filled in keeps its reason in each round of errors files', async () => {
  const { dir, importFile, errors, again } = await openErrors();
  const row = (n: number, name: string, more = '') =>
    `<row r="${n}"${more}><c r="A${n}" t="str"><v>${name}</v></c><c r="B${n}"><v>${n}00</v></c></row>`;
  const sheet = [HEADER, row(2, 'Unseen', ' hidden="1"')];
  await importFile(await writeWorkbook(join(dir, 'a.xlsx'), { sheet }));
  for (const round of [1, 2, 3]) {
    expect(await errors(), `round ${round}`).toContain('This row is hidden in the sheet');
    expect(await again(), `round ${round}`).toMatchObject({ rows: 0, invalid: 1 });
  }
  // A partly filled line shows what is missing.
  await again((text) => text.replace('\n,', '\nSeen,'));
  expect(await errors()).toContain('requested_limit: This cell is empty and must not be.');
});
