import { describe, expect, test } from 'vitest';
import type { HeaderMeaning } from '../../../src/portfolio/columns/mapping.ts';
import { readWorkbook, writeWorkbook } from '../../support/workbooks.ts';

const HEADER = ['Name', 'Credit limit', 'City', 'New ceiling'];

/** Reads a workbook with two lines whose sheet has these columns in its XML. */
async function told(cols: string, columns?: Record<string, HeaderMeaning>) {
  const cells = (texts: string[]) => `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
  const rows = [HEADER, ['Acme', '10', 'Ulm', '50'], ['Beta', '20', 'Bonn', '70']].map(cells).join('');
  const book = '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>';
  const write = (path: string) =>
    writeWorkbook(path, { sheet: [`<cols>${cols}</cols><sheetData>`, rows, '</sheetData>'], book });
  const { problems, lines } = await readWorkbook(write, columns && { mapping: { columns, constants: {} } });
  return {
    problems: problems.map(({ column, message }) => `${column}: ${message}`),
    limits: lines.map((line) => (line.kind === 'row' ? line.row.limit.requested_limit : line.kind)),
  };
}

describe('a hidden column of a sheet', () => {
  // Promise: unclear-column-is-a-fault
  test.each([
    ['by hand', '<col min="1" max="1" width="9"/><col min="2" max="2" width="9" hidden="1"/>'],
    ['with others', '<col min="2" max="3" hidden="true"/>'],
    ['by its width', '<col min="2" max="2" width="0" customWidth="1"/>'],
  ])('is a question of the file if it has the amounts, and either --map answers it: %s', async (_how, cols) => {
    const { problems } = await told(cols);
    expect(problems).toEqual([
      expect.stringMatching(
        /^Credit limit: .*hidden in the sheet\. .*"Credit limit=requested_limit"; .*"Credit limit="/,
      ),
    ]);
    expect((await told(cols, { 'Credit limit': 'requested_limit' })).limits).toEqual(['10', '20']);
    const mended = await told(cols, { 'Credit limit': null, 'New ceiling': 'requested_limit' });
    expect(mended).toEqual({ problems: [], limits: ['50', '70'] });
  });

  test('is read like the others if it has neither names nor amounts', async () => {
    expect(await told('<col min="3" max="4" hidden="1"/>')).toEqual({ problems: [], limits: ['10', '20'] });
  });
});
