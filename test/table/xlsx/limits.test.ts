import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { isDateFormat, plainNumber } from '../../../src/table/xlsx/numbers.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { HEADER, type Parts, times, writeWorkbook } from '../../support/write-workbook.ts';

const READ_PROCESS = fileURLToPath(new URL('../../support/read-process.ts', import.meta.url));

/** Some hundred characters that compress well, and not so well that the archive itself is refused. */
const filler = (n: number) => `${n * 7_919} Hafenstraße, ${n} Kiel, `.padEnd(400, 'abcdefghij ');
const cell = (n: number) => `<c t="str"><v>${n}</v></c>`;
const row = (n: number) => `<row><c t="str"><v>Buyer ${n}</v></c><c><v>${n}</v></c></row>`;
const text = (n: number) => `<t>${filler(n)}</t>`;

/** A workbook that is small as a file and made to take all memory, and the words in which it is refused. */
const BOMBS: [string, () => Parts, string][] = [
  [
    'texts without end in one cell',
    () => ({ sheet: [HEADER, '<row r="2"><c r="A2" t="inlineStr"><is>', ...times(300_000, text), '</is></c></row>'] }),
    'its cell A2 holds more than any cell can in Excel; open it in Excel and save it again',
  ],
  [
    'texts without end in one shared text',
    () => ({ sheet: [HEADER], texts: ['<si><t>A</t></si><si>', ...times(10_000, text), '</si>'] }),
    'text 2 of its shared texts is longer than any cell',
  ],
  [
    'more shared texts than fit into memory',
    () => ({ sheet: [HEADER], texts: times(200_000, (n) => `<si><t>${filler(n)}</t></si>`) }),
    'first texts are all that fits into memory; save the sheet as CSV UTF-8',
  ],
  [
    'short shared texts without end',
    () => ({ sheet: [HEADER], texts: times(1_500_000, (n) => `<si><t>${n}</t></si>`) }),
    'first texts are all that fits into memory',
  ],
  [
    'cells without end in one row',
    () => ({ sheet: ['<row r="1">', ...times(20_000, (n) => `<c r="A1"><v>${n}</v></c>`), '</row>'] }),
    'its row 1 has more cells than there are columns',
  ],
  ['elements within elements', () => ({ sheet: times(100_000, (n) => `<a${n % 997}>`) }), 'more than 64 deep'],
  [
    'cell formats without end',
    () => ({
      sheet: [HEADER],
      styles: ['<cellXfs>', ...times(70_000, (n) => `<xf numFmtId="${n}"/>`), '</cellXfs>'],
    }),
    'more than 65490 cell formats',
  ],
  [
    'a comment without end',
    () => ({ sheet: [HEADER, '<!-- ', ...times(5_000, filler), ' -->'] }),
    "a text that is longer than any cell's",
  ],
  [
    'an attribute without end',
    () => ({ sheet: [HEADER, '<row r="', ...times(5_000, filler), '"/>'] }),
    "a text that is longer than any cell's",
  ],
  [
    'a sheet that is named without end',
    () => ({
      sheet: [HEADER],
      book: `<workbook xmlns:r="r"><sheet r:id="rId1" name="${filler(1).repeat(100)}"/></workbook>`,
    }),
    'it has a name of 40000 characters',
  ],
];

async function readInProcess(paths: string[]): Promise<{ told: string[]; peakMb: number }> {
  // The second flag is what the command's own first line asks of Node.
  const words = ['--expose-gc', '--max-semi-space-size=8', READ_PROCESS, ...paths];
  return JSON.parse((await promisify(execFile)(process.execPath, words)).stdout);
}

test('a workbook made to take all memory is refused in words, within 300 MB', async () => {
  const { dir } = await makeTemporaryFolder();
  const paths: string[] = [];
  for (const [place, [, parts]] of BOMBS.entries()) {
    paths.push(await writeWorkbook(join(dir, `${place}.xlsx`), parts()));
  }
  const { told, peakMb } = await readInProcess(paths);
  for (const [place, [, , words]] of BOMBS.entries()) expect(told[place]).toContain(words);
  expect(peakMb).toBeLessThan(300);
});

test('cells far to the right and numbers of a million digits take no memory', async () => {
  const { dir } = await makeTemporaryFolder();
  const far = times(10_000, (n) => `<row r="${n + 1}"><c r="XFD${n + 1}"><v>${n}</v></c></row>`);
  const huge = times(10_000, (n) => `<row r="${n + 1}">${cell(n)}<c><v>${n}E999999</v></c></row>`);
  const wide = HEADER.replace('</row>', '<c r="XFD1" t="str"><v>note</v></c></row>');
  const paths = [
    await writeWorkbook(join(dir, 'far.xlsx'), { sheet: [HEADER, ...far] }),
    await writeWorkbook(join(dir, 'wide.xlsx'), { sheet: [wide, ...times(10_000, (n) => row(n))] }),
    await writeWorkbook(join(dir, 'huge.xlsx'), { sheet: [HEADER, ...huge] }),
  ];
  const { told, peakMb } = await readInProcess(paths);
  expect(told).toEqual(['10000 lines', '10000 lines', '10000 lines']);
  expect(peakMb).toBeLessThan(300);
});

describe('a sheet', () => {
  async function read(parts: Parts) {
    const { dir } = await makeTemporaryFolder();
    const opened = await openPortfolio({ path: await writeWorkbook(join(dir, 'a.xlsx'), parts), requiredColumns: [] });
    const lines = [];
    for await (const batch of opened.batches()) lines.push(...batch);
    return lines;
  }

  test('is as large as its rows are, whatever it says of its own size', async () => {
    for (const said of ['A1:B1', 'A1:XFD1048576', 'nonsense']) {
      const lines = await read({ sheet: [`<dimension ref="${said}"/>`, HEADER, row(2), row(3)] });
      expect(lines).toMatchObject([
        { line: 2, kind: 'row' },
        { line: 3, kind: 'row' },
      ]);
    }
  });

  test('with a cell right of its header has a problem on that row alone, which names the cell', async () => {
    const lines = await read({
      sheet: [HEADER, `<row r="2">${cell(1)}<c><v>5</v></c><c r="AB2"><v>7</v></c></row>`, row(3)],
    });
    expect(lines).toMatchObject([
      {
        line: 2,
        kind: 'invalid',
        problems: [{ message: expect.stringContaining("Cell AB2 stands right of the header's") }],
      },
      { line: 3, kind: 'row' },
    ]);
  });

  test('with a row that is longer than a record may be has a problem on that row alone', async () => {
    const long = (n: number) => `<c t="s"><v>${n % 1}</v></c>`;
    const header = `<row>${[...times(40, (n) => `<c t="str"><v>${n === 1 ? 'name' : n === 2 ? 'requested_limit' : `own ${n}`}</v></c>`)].join('')}</row>`;
    const lines = await read({
      sheet: [header, `<row>${[...times(40, long)].join('')}</row>`, row(3)],
      texts: [`<si><t>${'abc'.repeat(10_000)}</t></si>`],
    });
    expect(lines).toMatchObject([
      { line: 2, kind: 'invalid', problems: [{ message: expect.stringContaining('more than 1048576 characters') }] },
      { line: 3, kind: 'row' },
    ]);
  });

  test.each([
    [
      'rows out of order',
      `<row r="7">${cell(1)}</row><row r="5">${cell(1)}</row>`,
      'its row 5 cannot stand behind row 7',
    ],
    ['a row twice', `<row r="7">${cell(1)}</row><row r="7">${cell(1)}</row>`, 'its row 7 cannot stand behind row 7'],
    ['more rows than Excel', `<row r="1048577">${cell(1)}</row>`, 'its row 1048577 cannot stand behind row 1'],
    ['a row of no number', `<row r="x">${cell(1)}</row>`, 'its row x cannot'],
    ['a cell of no place', '<row><c r="7"/></row>', 'its row 2 has a cell 7, which no sheet has'],
  ])('with %s is refused', async (_name, rows, words) => {
    await expect(read({ sheet: [HEADER, rows] })).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining(words),
    });
  });

  test('with a text as long as a cell of Excel may be is read', async () => {
    const long = 'x'.repeat(32_767);
    const lines = await read({ sheet: [HEADER, `<row><c t="str"><v>${long}</v></c><c><v>5</v></c></row>`] });
    expect(lines).toMatchObject([{ kind: 'row', row: { name: long } }]);
  });
});

test('a number that is no double stays as it stands', () => {
  for (const written of ['1E999999', '-1E400', 'many', '1E']) expect(plainNumber(written)).toBe(written);
  expect(plainNumber('1E300')).toHaveLength(301);
});

test('a format of opening brackets alone is looked through at once', () => {
  expect(isDateFormat(170, '['.repeat(255))).toBe(false);
});
