import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPortfolio, type PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import { all, told } from '../../support/read-portfolio.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { writeZip } from '../../support/zip-file.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

type Sheet = { name: string; state?: string; rows?: string; type?: string };

/** A workbook of these sheets; one without rows holds nothing. */
async function workbook(sheets: Sheet[]): Promise<string> {
  const { dir } = await makeTemporaryFolder();
  const entries = sheets.map(
    ({ name, state }, n) => `<sheet name="${name}"${state ? ` state="${state}"` : ''} r:id="rId${n}"/>`,
  );
  const relations = sheets.map(
    ({ type = 'worksheet' }, n) =>
      `<Relationship Id="rId${n}" Type="${OFFICE}/${type}" Target="worksheets/sheet${n}.xml"/>`,
  );
  return writeZip(join(dir, 'a.xlsx'), {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      sheets.map(({ rows = '<row r="1"><c r="A1" s="1"/></row>' }, n) => [
        `xl/worksheets/sheet${n}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

const HEADER = row(1, ['name', 'requested_limit']);

function row(line: number, [name = '', limit = '']: string[], attributes = ''): string {
  return `<row r="${line}" ${attributes}><c t="str"><v>${name}</v></c><c t="str"><v>${limit}</v></c></row>`;
}

async function read(path: string, given: Partial<PortfolioFile> = {}) {
  const opened = await openPortfolio({ path, requiredColumns: [], ...given });
  return { ...opened, lines: await all(opened.batches()) };
}

describe('sheets that cannot be seen, or are not read', () => {
  const [old, buyers] = [HEADER + row(2, ['Old', '1']), HEADER + row(2, ['New', '2'])];

  test('a hidden first sheet is not the one that is requested, and those left out are named', async () => {
    const path = await workbook([
      { name: 'Archive', state: 'hidden', rows: old },
      { name: 'Macro', state: 'veryHidden', rows: old },
      { name: 'Chart', type: 'chartsheet', rows: old },
      { name: 'Buyers', rows: buyers },
      { name: 'Empty' },
      { name: 'Notes', rows: '<row><c t="inlineStr"><is><t>Ask Eva</t></is></c></row>' },
      { name: 'Broken', rows: '<row><c' },
    ]);
    const { lines, dialect, warnings } = await read(path);
    expect(dialect.sheet).toBe('Buyers');
    expect(lines).toMatchObject([{ kind: 'row', row: { name: 'New' } }]);
    expect(warnings[0]?.message).toBe(
      'The sheet "Buyers" is read, and not "Archive" (hidden), "Macro" (hidden), "Notes" and "Broken", which have content as well: --sheet NAME reads another one.',
    );
  });

  test('a sheet that is asked for is read, hidden or not, and nothing is said of others', async () => {
    const path = await workbook([
      { name: 'Buyers', rows: buyers },
      { name: 'Archive', state: 'hidden', rows: old },
    ]);
    const { lines, warnings } = await read(path, { sheet: 'Archive' });
    expect(lines).toMatchObject([{ row: { name: 'Old' } }]);
    expect(warnings.filter(({ message }) => message.includes('sheet'))).toEqual([]);
  });
});

describe('rows that are hidden', () => {
  const rows = [
    HEADER,
    row(2, ['Seen', '100']),
    row(3, ['By hand', '200'], 'hidden="1"'),
    row(4, ['By no height', '300'], 'ht="0" customHeight="1"'),
    row(5, ['Seen too', '400'], 'hidden="0" ht="15"'),
    row(6, ['Total', '1000'], 'hidden="true"'),
  ];

  test('are a problem each', async () => {
    const { lines } = await read(await workbook([{ name: 'Buyers', rows: rows.join('') }]));
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'invalid', 'invalid', 'row', 'invalid']);
    expect(told(lines.slice(1))).toEqual([
      expect.stringContaining('3 null: This row is hidden in the sheet'),
      expect.stringContaining('4 null: This row is hidden in the sheet'),
      expect.stringContaining('6 name: This line reads like a total'),
    ]);
    // A file of text cannot hide them again.
    expect(lines[1]).toMatchObject({ broken: 'By hand,200' });
  });

  test('are taken with --hidden-rows, and totals still are not', async () => {
    const { lines } = await read(await workbook([{ name: 'Buyers', rows: rows.join('') }]), { hiddenRows: true });
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'row', 'row', 'invalid']);
  });
});
