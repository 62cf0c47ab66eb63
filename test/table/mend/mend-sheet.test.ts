import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openZip } from '../../../src/files/zip.ts';
import { vocabularyOf } from '../../../src/portfolio/columns/header-doubts.ts';
import { mendSheet } from '../../../src/table/mend/mend-sheet.ts';
import type { RecordMend } from '../../../src/table/mend/mend-text.ts';
import { openTable } from '../../../src/table/open-table.ts';
import { nextRecord } from '../../../src/table/table.ts';
import { writeZip } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const SHEET = (prefix: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}worksheet><${prefix}cols/><${prefix}sheetData><${prefix}row r="1"><${prefix}c r="A1" t="s"><${prefix}v>0</${prefix}v></${prefix}c><${prefix}c r="B1" t="s"><${prefix}v>1</${prefix}v></${prefix}c><${prefix}c r="C1" t="str"><${prefix}v>since</${prefix}v></${prefix}c></${prefix}row>
<${prefix}row r="2" ht="15"><${prefix}c r="A2" t="inlineStr"><${prefix}is><${prefix}t>Ä &lt;b&gt;</${prefix}t></${prefix}is></${prefix}c><${prefix}c r="B2"><${prefix}f>1+1</${prefix}f><${prefix}v>2</${prefix}v></${prefix}c><${prefix}c r="C2" s="1"><${prefix}v>45000</${prefix}v></${prefix}c></${prefix}row>
<${prefix}row r="3"/><${prefix}row r="4"><${prefix}c r="C4"><${prefix}v>7</${prefix}v></${prefix}c></${prefix}row>
<${prefix}row><${prefix}c t="str"><${prefix}v>E</${prefix}v></${prefix}c><${prefix}c><${prefix}v>5.5</${prefix}v></${prefix}c></${prefix}row></${prefix}sheetData></${prefix}worksheet>`;

const PARTS = (prefix = '') => ({
  '[Content_Types].xml':
    '<Types><Override PartName="/xl/calcChain.xml" ContentType="chain"/><Override PartName="/xl/workbook.xml"/></Types>',
  'xl/workbook.xml':
    '<workbook xmlns:r="r"><sheets><sheet name="Notes" r:id="rId2"/><sheet name="Buyers" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Target="calcChain.xml"/></Relationships>',
  'xl/sharedStrings.xml': '<sst><si><t>name</t></si><si><t>requested_limit</t></si></sst>',
  'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  'xl/calcChain.xml': '<calcChain><c r="B2"/></calcChain>',
  'xl/worksheets/sheet1.xml': SHEET(prefix),
  'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row r="2"><c r="A2"><v>1</v></c></row></sheetData></worksheet>',
});

async function mended(mends: RecordMend[], prefix = '') {
  const dir = await makeFolder();
  const [path, target] = [join(dir, 'before.xlsx'), join(dir, 'after.xlsx')];
  await writeZip(path, PARTS(prefix));
  await mendSheet({ path, sheet: 'Buyers', to: createWriteStream(target) }, mends);
  return { before: await recordsOf(path), after: await recordsOf(target), parts: await partsOf(target) };
}

async function recordsOf(path: string): Promise<Map<number, string[]>> {
  const table = await openTable({ path, sheet: 'Buyers', vocabulary: vocabularyOf() });
  const found = new Map<number, string[]>();
  for (let record = await nextRecord(table); record; record = await nextRecord(table))
    found.set(record.line, record.cells);
  await table.close();
  return found;
}

async function partsOf(path: string): Promise<Record<string, string>> {
  const zip = await openZip(path, { entries: 100, totalBytes: 1e6 });
  const parts: Record<string, string> = {};
  for await (const entry of zip.entries()) parts[entry.fileName] = await text(await zip.read(entry));
  zip.close();
  return parts;
}

const mend = (line: number, cells: [number, string][]): RecordMend => ({
  line,
  lines: 1,
  before: [],
  cells: new Map(cells),
});

describe('mendSheet changes the given cells of a workbook and nothing else', () => {
  test.each(['', 'x:'])('with the prefix "%s"', async (prefix) => {
    const { before, after, parts } = await mended(
      [
        mend(2, [[1, '=2+2 <&>']]),
        mend(4, [
          [0, 'D'],
          [1, '8'],
        ]),
        mend(5, [[1, '']]),
      ],
      prefix,
    );
    expect(before.get(2)).toEqual(['Ä <b>', '2', '2023-03-15']);
    expect(after.get(2)).toEqual(['Ä <b>', '=2+2 <&>', '2023-03-15']);
    expect(before.get(4)).toEqual(['', '', '7']);
    expect(after.get(4)).toEqual(['D', '8', '7']);
    expect(after.get(5)).toEqual(['E']);
    const untouched = (names: Record<string, string>) =>
      Object.fromEntries(Object.entries(names).filter(([name]) => /sheet2|styles|shared|workbook\.xml$/.test(name)));
    expect(untouched(parts)).toEqual(untouched(PARTS(prefix)));
    // Excel would offer to repair a workbook whose calculation chain names a cell without a formula.
    expect(Object.keys(parts)).not.toContain('xl/calcChain.xml');
    expect(`${parts['[Content_Types].xml']}${parts['xl/_rels/workbook.xml.rels']}`).not.toContain('calcChain');
    expect(parts['xl/worksheets/sheet1.xml']).toContain(SHEET(prefix).split('\n')[1]);
  });

  test('a missing row or a row to replace completely is an error', async () => {
    await expect(mended([mend(9, [[0, 'x']])])).rejects.toThrow('the sheet has no row 9');
    await expect(mended([{ line: 2, lines: 1, text: 'x', before: '' }])).rejects.toThrow(
      'Row 2 of the sheet is broken as a whole',
    );
  });
});
