import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResolutionFile } from '../../../src/portfolio/results/resolution-file.ts';
import { rowOf, writeSheets } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

async function read(...lines: string[]) {
  const path = join(await makeFolder(), 'held.csv');
  await writeFile(path, `${lines.join('\r\n')}\r\n`);
  return readResolutionFile(path, 'stand-in');
}

// Promise: any-csv-resolves
test('a resolution file of any dialect gives an id, "resend" or nothing for each line', async () => {
  const file = await read('\uFEFFLine;Name;ID', '7;A;bl_1', '8;B;Resend', '9;C;', '10;D;made company_2', '');
  expect(file).toEqual({
    words: [
      { at: 2, row: '', line: 7, made: 'bl_1' },
      { at: 3, row: '', line: 8, made: undefined },
      { at: 5, row: '', line: 10, made: 'company_2' },
    ],
    silent: 1,
    problems: [],
  });
});

// Promise: any-csv-resolves
test('a results file answers by the ids of its held rows, or by an added column id', async () => {
  const header = 'company_id,line,row,line,state,step,company_id,document_ids,buyer_limit_id,limitline_account';
  const lines = [
    'given,x,q4/a,2,done,limit,company_1,,bl_1,stand-in',
    ',x,q4/b,3,held,limit,company_2,,bl_2,stand-in',
    ',x,q4/c,4,held,company,company_3,,,stand-in',
    ',x,q4/d,5,held,limit,company_4,,,stand-in',
  ];
  const filled = await read(header, ...lines);
  expect(filled.words).toEqual([
    { at: 3, row: 'q4/b', line: 3, made: 'bl_2' },
    { at: 4, row: 'q4/c', line: 4, made: 'company_3' },
  ]);
  expect(filled.silent).toBe(2);
  const put = await read(`${header},id`, ...lines.map((line, place) => `${line},${place === 3 ? 'resend' : ''}`));
  expect(put.words.at(-1)).toEqual({ at: 5, row: 'q4/d', line: 5, made: undefined });
});

test('a line without a row and a broken line are problems', async () => {
  const { problems } = await read('line,id', 'x,bl_1', '"3,bl_2');
  expect(problems).toEqual([
    { at: 2, message: 'The line names no row: "x" is not the number of a line.' },
    { at: 3, message: expect.stringContaining('quotation mark') },
  ]);
});

test.each([['name,id'], ['line,name'], ['']])(
  'a file with the header "%s" is not a resolution file',
  async (header) => {
    await expect(read(header, '1,2')).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('line') });
  },
);

test('a line of another account is a problem, since two accounts may have equal row names', async () => {
  const file = await read('row,id,limitline_account', 'q4/a.b,bl_1,live', 'q4/c.d,bl_2,stand-in', 'q4/e.f,,live');
  expect(file).toMatchObject({
    words: [{ row: 'q4/c.d', made: 'bl_2' }],
    silent: 1,
    problems: [
      {
        at: 2,
        message: expect.stringMatching(
          /^The line belongs to account "live", but this is account "stand-in": set .*write "stand-in" there again\.$/,
        ),
      },
    ],
  });
  const { problems } = await read('row,id,limitline_account', 'q4/a.b,bl_1,li\u001b[31mve');
  expect(problems[0]?.message).toContain('"li\u241b[31mve"');
});

test('an answer in a hidden row of a workbook is a problem, and an empty hidden row is not', async () => {
  const path = join(await makeFolder(), 'held.xlsx');
  const rows = [
    rowOf(1, ['row', 'id']),
    rowOf(2, ['q4/a', 'bl_1']),
    rowOf(3, ['q4/b', 'resend'], 'hidden="1"'),
    rowOf(4, ['q4/c', ''], 'hidden="1"'),
  ];
  await writeSheets(path, [{ name: 'Held', rows: rows.join('') }]);
  expect(await readResolutionFile(path, 'stand-in')).toMatchObject({
    words: [{ row: 'q4/a', made: 'bl_1' }],
    silent: 1,
    problems: [{ at: 3, message: expect.stringContaining('hidden in the sheet') }],
  });
});
