import { describe, expect, test } from 'vitest';
import { readWorkbook, writeZip } from '../../support/workbooks.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relation = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;

/** Where the parts of a workbook are, and how other parts name them. */
type Places = { book?: string; sheet?: string; texts?: string; styles?: string; targets?: string[]; idOf?: string };

/** A workbook with a shared text, and an amount that only its number format shows in thousands. */
function workbook({
  book = 'xl/workbook.xml',
  sheet = 'xl/worksheets/sheet1.xml',
  texts = 'xl/sharedStrings.xml',
  styles = 'xl/styles.xml',
  targets: [toSheet = 'worksheets/sheet1.xml', toTexts = 'sharedStrings.xml', toStyles = 'styles.xml'] = [],
  idOf = 'r:id',
}: Places) {
  const name = book.slice(book.lastIndexOf('/') + 1);
  return (path: string) =>
    writeZip(path, {
      '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', book)}</Relationships>`,
      [book]: `<workbook xmlns:r="r"><sheets><sheet name="Buyers" ${idOf}="rId3"/></sheets></workbook>`,
      [`xl/_rels/${name}.rels`]: `<Relationships>${relation('rId1', 'styles', toStyles)}${relation('rId2', 'sharedStrings', toTexts)}${relation('rId3', 'worksheet', toSheet)}</Relationships>`,
      [sheet]:
        '<worksheet><sheetData><row><c t="str"><v>name</v></c><c t="str"><v>requested_limit</v></c></row><row><c t="s"><v>0</v></c><c s="0"><v>50</v></c></row></sheetData></worksheet>',
      [texts]: '<sst><si><t>Acme</t></si></sst>',
      [styles]:
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0 &quot;T€&quot;"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>',
    });
}

describe('the parts of a workbook', () => {
  test.each<[string, Places]>([
    ['at their usual places', {}],
    [
      'with the names that SharePoint gives them',
      {
        book: 'xl/workbook2.xml',
        texts: 'xl/sharedStrings2.xml',
        styles: 'xl/styles2.xml',
        targets: ['worksheets/sheet1.xml', 'sharedStrings2.xml', 'styles2.xml'],
      },
    ],
    ['in capitals', { texts: 'xl/SharedStrings.xml', styles: 'xl/Styles.xml', sheet: 'xl/worksheets/Sheet1.xml' }],
    ['by a path from the top', { targets: ['/xl/worksheets/sheet1.xml', '/xl/sharedStrings.xml', '/xl/styles.xml'] }],
    ['by a path with dots', { targets: ['./worksheets/sheet1.xml', '../xl/sharedStrings.xml', './styles.xml'] }],
    ['by an escaped path', { sheet: 'xl/worksheets/sheet 1.xml', targets: ['worksheets/sheet%201.xml'] }],
    ['by a reference with another prefix', { idOf: 'ns1:id' }],
  ])('are found %s', async (_how, places) => {
    const { lines } = await readWorkbook(workbook(places));
    expect(lines).toMatchObject([
      { kind: 'invalid', cells: ['Acme', '50 T€'], problems: [{ message: expect.stringContaining('in thousands') }] },
    ]);
  });

  test('of a program other than Excel are none of a workbook', async () => {
    const { problems } = await readWorkbook((path) =>
      writeZip(path, {
        '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'word/document.xml')}</Relationships>`,
        'word/document.xml': '<document/>',
      }),
    );
    expect(problems).toMatchObject([{ message: expect.stringContaining('Word document') }]);
  });
});
