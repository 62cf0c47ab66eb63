import { describe, expect, test } from 'vitest';
import type { PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import { readWorkbook } from '../../support/read-workbook.ts';
import { HEADER, rowOf, type Sheet, writeSheets } from '../../support/write-workbook.ts';

const read = (sheets: Sheet[], given?: Partial<PortfolioFile>) =>
  readWorkbook((path) => writeSheets(path, sheets), given);

describe('sheets that cannot be seen, or are not read', () => {
  const [old, buyers] = [HEADER + rowOf(2, ['Old', '1']), HEADER + rowOf(2, ['New', '2'])];

  test('a hidden first sheet is not the one that is requested, and those left out are named', async () => {
    const sheets: Sheet[] = [
      { name: 'Archive', state: 'hidden', rows: old },
      { name: 'Macro', state: 'veryHidden', rows: old },
      { name: 'Chart', type: 'chartsheet', rows: old },
      { name: 'Buyers', rows: buyers },
      { name: 'Empty' },
      { name: 'Notes', rows: '<row><c t="inlineStr"><is><t>Ask Eva</t></is></c></row>' },
      { name: 'Broken', rows: '<row><c' },
    ];
    const { lines, dialect, warnings } = await read(sheets);
    expect(dialect.sheet).toBe('Buyers');
    expect(lines).toMatchObject([{ kind: 'row', row: { name: 'New' } }]);
    expect(warnings[0]?.message).toBe(
      'The sheet "Buyers" is read, but not "Archive" (hidden), "Macro" (hidden), "Notes" and "Broken", although they have content: --sheet NAME reads another one.',
    );
  });

  test('a sheet that is asked for is read, hidden or not, and nothing is said of others', async () => {
    const sheets: Sheet[] = [
      { name: 'Buyers', rows: buyers },
      { name: 'Archive', state: 'hidden', rows: old },
    ];
    const { lines, warnings } = await read(sheets, { sheet: 'Archive' });
    expect(lines).toMatchObject([{ row: { name: 'Old' } }]);
    expect(warnings.filter(({ message }) => message.includes('sheet'))).toEqual([]);
  });
});
