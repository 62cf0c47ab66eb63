import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { HEADER, type Parts, times, writeWorkbook } from '../../support/workbooks.ts';

const READ_PROCESS = fileURLToPath(new URL('../../support/read-process.ts', import.meta.url));

/** Some hundred characters that compress well, but not so well that the archive itself is refused. */
const filler = (n: number) => `${n * 7_919} Hafenstraße, ${n} Kiel, `.padEnd(400, 'abcdefghij ');
const cell = (n: number) => `<c t="str"><v>${n}</v></c>`;
const row = (n: number) => `<row><c t="str"><v>Buyer ${n}</v></c><c><v>${n}</v></c></row>`;
const text = (n: number) => `<t>${filler(n)}</t>`;

/** A small workbook file that would fill the memory, and the reason for which it is refused. */
const BOMBS: [string, () => Parts, string][] = [
  [
    'endless text in one cell',
    () => ({ sheet: [HEADER, '<row r="2"><c r="A2" t="inlineStr"><is>', ...times(50_000, text), '</is></c></row>'] }),
    'its cell A2 has more text than any cell can have in Excel; open it in Excel and save it again',
  ],
  [
    'endless text in one shared text',
    () => ({ sheet: [HEADER], texts: ['<si><t>A</t></si><si>', ...times(10_000, text), '</si>'] }),
    'text 2 of its shared texts is longer than any cell',
  ],
  [
    // Each text is short enough that neither its letters nor its overhead alone would be too much.
    'more shared texts than fit into memory',
    () => ({ sheet: [HEADER], texts: times(800_000, (n) => `<si><t>${filler(n).slice(0, 56)}</t></si>`) }),
    'texts fit into memory; save the sheet as CSV UTF-8',
  ],
  [
    'endless cells in one row',
    () => ({ sheet: ['<row r="1">', ...times(20_000, (n) => `<c r="A1"><v>${n}</v></c>`), '</row>'] }),
    'its cell A1 occurs twice',
  ],
  ['nested elements', () => ({ sheet: times(100_000, (n) => `<a${n % 997}>`) }), 'more than 64 deep'],
  [
    'endless cell formats',
    () => ({ sheet: [HEADER], styles: ['<cellXfs>', ...times(70_000, (n) => `<xf numFmtId="${n}"/>`), '</cellXfs>'] }),
    'more than 65490 cell formats',
  ],
  [
    'an endless comment',
    () => ({ sheet: [HEADER, '<!-- ', ...times(5_000, filler), ' -->'] }),
    "a text that is longer than any cell's",
  ],
  [
    'an endless attribute',
    () => ({ sheet: [HEADER, '<row r="', ...times(5_000, filler), '"/>'] }),
    "a text that is longer than any cell's",
  ],
  [
    'an endless sheet name',
    () => ({
      sheet: [HEADER],
      book: `<workbook xmlns:r="r"><sheet r:id="rId1" name="${filler(1).repeat(100)}"/></workbook>`,
    }),
    'it has a name of 40000 characters',
  ],
];

async function readInProcess(paths: string[]): Promise<{ told: string[]; peakMb: number }> {
  // The second flag is the one that the limitline command sets.
  const args = ['--expose-gc', '--max-semi-space-size=8', READ_PROCESS, ...paths];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

// Promise: broken-workbook-refused-whole
test('a workbook that would fill the memory is refused with a reason, within 300 MB', async () => {
  const { dir } = await makeTemporaryFolder();
  const paths: string[] = [];
  for (const [place, [, parts]] of BOMBS.entries()) {
    paths.push(await writeWorkbook(join(dir, `${place}.xlsx`), parts()));
  }
  const { told, peakMb } = await readInProcess(paths);
  for (const [place, [, , words]] of BOMBS.entries()) expect(told[place]).toContain(words);
  expect(peakMb).toBeLessThan(300);
});

test('cells in the last column and numbers with a million digits do not fill the memory', async () => {
  const { dir } = await makeTemporaryFolder();
  const far = times(5_000, (n) => `<row r="${n + 1}"><c r="XFD${n + 1}"><v>${n}</v></c></row>`);
  const huge = times(2_000, (n) => `<row r="${n + 1}">${cell(n)}<c><v>${n}E999999</v></c></row>`);
  const wide = HEADER.replace('</row>', '<c r="XFD1" t="str"><v>note</v></c></row>');
  const paths = [
    await writeWorkbook(join(dir, 'far.xlsx'), { sheet: [HEADER, ...far] }),
    await writeWorkbook(join(dir, 'wide.xlsx'), { sheet: [wide, ...times(5_000, (n) => row(n))] }),
    await writeWorkbook(join(dir, 'huge.xlsx'), { sheet: [HEADER, ...huge] }),
  ];
  const { told, peakMb } = await readInProcess(paths);
  expect(told).toEqual(['5000 lines', '5000 lines', '2000 lines']);
  expect(peakMb).toBeLessThan(300);
});
