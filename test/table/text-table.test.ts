import { describe, expect, test } from 'vitest';
import { vocabularyOf } from '../../src/portfolio/columns/header-doubts.ts';
import type { PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { detectDelimiter, sepLineOf } from '../../src/table/text-table.ts';
import { read as readPortfolio } from '../support/workbooks.ts';

/** What is read of a file, with the names of its rows and the problems of its other lines. */
async function read(content: string | Uint8Array, given: Partial<PortfolioFile> = {}) {
  const opened = await readPortfolio(content, given);
  return { ...opened, names: opened.lines.map((line) => (line.kind === 'row' ? line.row.name : line.problems)) };
}

const TABLE = 'name,requested_limit\nMüller,1\nNaïve,2\n';
const latin = (text: string) => Buffer.from(text, 'latin1');
const wide = (text: string) => Buffer.from(text, 'utf16le');

/** 株式会社, in two encodings. */
const SHIFT_JIS = Buffer.from([0x8a, 0x94, 0x8e, 0xae, 0x89, 0xef, 0x8e, 0xd0]);
const GB18030 = Buffer.from([0xd6, 0xea, 0xca, 0xbd, 0xbb, 0xe1, 0xc9, 0xe7]);
const around = (name: Uint8Array) => Buffer.concat([latin('name,requested_limit\n'), name, latin(',1\nAcme,2\n')]);

describe('a table of text', () => {
  // Promise: encoding-by-its-letters
  test.each<[string, Uint8Array, string, boolean]>([
    ['utf-8', Buffer.from(TABLE), 'utf-8', false],
    ['utf-8 with a byte order mark', Buffer.from(`\ufeff${TABLE}`), 'utf-8', true],
    ['utf-16le', wide(`\ufeff${TABLE}`), 'utf-16le', true],
    ['utf-16be', wide(`\ufeff${TABLE}`).swap16(), 'utf-16be', true],
    ['utf-16le without a mark', wide(TABLE), 'utf-16le', false],
    ['utf-16be without a mark', wide(TABLE).swap16(), 'utf-16be', false],
    ['windows-1252', latin(TABLE), 'windows-1252', false],
  ])('%s is detected', async (_name, content, encoding, bom) => {
    const { names, dialect, problems } = await read(content);
    expect({ names, problems }).toEqual({ names: ['Müller', 'Naïve'], problems: [] });
    expect(dialect).toMatchObject({ encoding, bom });
  });

  test('Windows-1252 is detected by an umlaut on the last of many lines', async () => {
    const lines = Array.from({ length: 9_000 }, (_none, n) => `Buyer ${n},${n + 1}\n`).join('');
    const { names, dialect } = await read(latin(`name,requested_limit\n${lines}K\u00f6nig,1\n`));
    expect(dialect.encoding).toBe('windows-1252');
    expect(names.at(-1)).toBe('König');
  });

  test('characters that Windows-1252 has in place of Latin-1 controls are read', async () => {
    const { names } = await read(
      Buffer.concat([latin('name,requested_limit\nM\u00fcller '), Buffer.of(0x96), latin(' \u00c9t\u00e9,1\n')]),
    );
    expect(names).toEqual(['Müller – Été']);
  });

  // Promise: uncertain-encoding-asked
  test.each([
    ['shift_jis', SHIFT_JIS],
    ['gb18030', GB18030],
  ])('%s is read only if it is given', async (encoding, bytes) => {
    expect((await read(around(bytes), { encoding })).names).toEqual(['株式会社', 'Acme']);
    const unnamed = await read(around(bytes));
    expect(unnamed.lines).toEqual([]);
    expect(unnamed.problems[0]?.message).toContain('--encoding');
  });

  test.each([
    ['shift_jis', SHIFT_JIS.subarray(0, 7), 'The byte 8E in this cell is no character in SHIFT_JIS'],
    ['utf-8', latin('M\u00fcller, K\u00f6'), 'The byte FC in this cell is not UTF-8'],
  ])('a byte that is invalid in %s makes only its line invalid', async (encoding, bytes, message) => {
    const { lines } = await read(around(Buffer.concat([latin('"'), bytes, latin('"')])), { encoding });
    expect(lines.map(({ kind }) => kind)).toEqual(['invalid', 'row']);
    const [line] = lines;
    expect(line?.kind === 'invalid' && line.problems[0]?.message).toContain(message);
  });

  test('damaged UTF-8 is reported as damage and not read in another encoding', async () => {
    const content = Buffer.concat([Buffer.from('name,requested_limit\nMüller,1\n'), latin('K\u00f6nig,2\n')]);
    const { lines, dialect } = await read(content);
    expect(dialect.encoding).toBe('utf-8');
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'invalid']);
  });

  test('half a UTF-16 surrogate pair makes its line invalid', async () => {
    const { lines } = await read(wide('\ufeffname,requested_limit\nA\ud83d,1\nB,2\n'));
    expect(lines.map(({ kind }) => kind)).toEqual(['invalid', 'row']);
  });
});

describe('traces of spreadsheets', () => {
  test("Excel's sep= line is skipped, and lines keep their numbers", async () => {
    const { lines, dialect } = await read('sep=;\r\nname;requested_limit\r\n"A;B";1\r\n');
    expect(lines).toMatchObject([{ line: 3, kind: 'row', row: { name: 'A;B' } }]);
    expect(dialect).toEqual({ encoding: 'utf-8', bom: false, delimiter: ';', sepLine: true, lineBreak: '\r\n' });
  });

  test.each(['\n', '\r\n', '\r'])(
    'blank lines and lines of delimiters are skipped, with the line ending %j',
    async (end) => {
      const { lines } = await read(['name;requested_limit', 'A;1', ';', ' ; ', '"";""', '', 'B;2', ''].join(end));
      expect(lines.map(({ line, kind }) => [line, kind])).toEqual([
        [2, 'row'],
        [7, 'row'],
      ]);
    },
  );

  test.each([
    ['more on the lines than in the header', 'name;requested_limit\nA;1;;\nB;2;\nC;3\n'],
    ['more in the header than on the lines', 'name;requested_limit;;\nA;1;;\nB;2;\nC;3\n'],
  ])('delimiters behind the last column are ignored: %s', async (_where, content) => {
    expect((await read(content)).names).toEqual(['A', 'B', 'C']);
  });

  test.each([
    ['more on the lines than in the header', 'name;requested_limit;note\nA;1;"two\nlines";;\nB;2;x\n'],
    ['more in the header than on the lines', 'name;requested_limit;note;;\nA;1;"two\nlines"\nB;2;x;\n'],
  ])(
    'delimiters behind the last column are ignored around a record with several lines: %s',
    async (_where, content) => {
      expect((await read(content)).lines).toMatchObject([
        { kind: 'row', line: 2, row: { name: 'A' } },
        { kind: 'row', line: 4, row: { name: 'B' } },
      ]);
    },
  );

  test('a lost quotation mark is reported even if lines lack the delimiter behind the last column', async () => {
    const { lines } = await read('name;requested_limit;note;\nA;1;"x\nB;2;y\nC;3;z"\n');
    expect(lines).toMatchObject([
      { kind: 'invalid', line: 2, problems: [{ column: 'note', message: expect.stringContaining('lines 2 to 4') }] },
    ]);
  });

  test('lines without the delimiter behind the last column count as evidence of how amounts are written', async () => {
    const { names } = await read('name;requested_limit;\nA;1.234\nB;2,50\n');
    expect(names).toEqual(['A', 'B']);
  });

  test('an extra cell that is not empty is a problem', async () => {
    expect((await read('name;requested_limit\nA;1;x\n')).lines[0]).toMatchObject({
      kind: 'invalid',
      problems: [{ message: expect.stringContaining('semicolon') }],
    });
  });
});

test.each([
  ['name,requested_limit\nA,1', ','],
  ['name;requested_limit\nA;1', ';'],
  ['name\trequested_limit\nA\t1', '\t'],
  ['name|requested_limit\nA|1', '|'],
  ['name', ','],
  ['"last, first";name;requested_limit', ';'],
  ['a,b;name;requested_limit', ';'],
  ['Firma;Ort\nA, B;C\nD, E;F', ';'],
])('the delimiter of %j is %j', (start, delimiter) => {
  expect(detectDelimiter(start, { vocabulary: vocabularyOf() })).toBe(delimiter);
});

test.each([
  ['sep=;', ';'],
  ['"sep=,"', ','],
  ['SEP=\t', '\t'],
  ['sep=x', null],
  ['name;sep=;', null],
])('the sep= line %j gives %j', (line, delimiter) => {
  expect(sepLineOf(line)).toBe(delimiter);
});
