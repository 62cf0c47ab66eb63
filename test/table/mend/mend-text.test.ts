import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delimiter } from '../../../src/table/dialect.ts';
import { makeEncoder } from '../../../src/table/encodings/encoders.ts';
import { mendText, type RecordMend } from '../../../src/table/mend/mend-text.ts';
import { makeFolder } from '../../support/workplace.ts';

async function mended(
  bytes: Buffer,
  mends: RecordMend[],
  encoding = 'utf-8',
  delimiter: Delimiter = ',',
): Promise<Buffer> {
  const path = join(await makeFolder(), 'q4.csv');
  await writeFile(path, bytes);
  const pieces: Buffer[] = [];
  for await (const piece of mendText({ path, dialect: { encoding, delimiter } }, mends))
    pieces.push(Buffer.from(piece));
  expect(await readFile(path)).toEqual(bytes);
  return Buffer.concat(pieces);
}

const cellMend = (line: number, before: string[], cells: [number, string][], lines = 1): RecordMend => ({
  line,
  lines,
  before,
  cells: new Map(cells),
});

describe('mendText changes the given cells and no other byte', () => {
  test.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'cp850', 'shift_jis', 'gb18030', 'euc-jp'])(
    'in %s',
    async (encoding) => {
      const japanese = !['windows-1252', 'cp850'].includes(encoding);
      const name = japanese ? '東京商事' : 'Müller & Söhne';
      const encode = makeEncoder(encoding);
      const text = (amount: string) => `name;requested_limit;note\r\n"${name}";${amount};"a;b"\r\n${name};7;x`;
      const result = await mended(
        encode(text('zwölf'.replace('ö', 'o'))),
        [cellMend(2, [name, 'zwolf', 'a;b'], [[1, '1250.5']])],
        encoding,
        ';',
      );
      expect(result).toEqual(encode(text('1250.5')));
    },
  );

  test.each(['\n', '\r\n', '\r'])('with any line ending: %j', async (end) => {
    const text = (amount: string) => ['name,limit', '"A\nB",1', `C,${amount}`, 'D,4', ''].join(end);
    const result = await mended(Buffer.from(text('x')), [cellMend(4, ['C', 'x'], [[1, '3']])]);
    expect(result.toString()).toBe(text('3'));
  });

  // Promise: mended-cell-alone-changes
  test('in several records and cells, also quoted ones', async () => {
    const before = 'name,limit,city\n"Say ""hi""",x,Bonn\nB,2,Ulm\n"A\nC",3,\n';
    const result = await mended(Buffer.from(before), [
      cellMend(4, ['A\nC', '3', ''], [[2, 'Kiel, Ost']], 2),
      cellMend(
        2,
        ['Say "hi"', 'x', 'Bonn'],
        [
          [0, 'Say "ho"'],
          [1, '5'],
        ],
      ),
    ]);
    expect(result.toString()).toBe('name,limit,city\n"Say ""ho""",5,Bonn\nB,2,Ulm\n"A\nC",3,"Kiel, Ost"\n');
  });

  test('beside damaged bytes', async () => {
    const bytes = Buffer.concat([
      Buffer.from('name,limit,note\nM'),
      Buffer.of(0xfc),
      Buffer.from('ller,x,"'),
      Buffer.of(0xff),
      Buffer.from('"\n'),
    ]);
    const result = await mended(bytes, [cellMend(2, ['M\udcfcller', 'x', '\udcff'], [[1, '9']])]);
    expect(result.toString('latin1')).toBe('name,limit,note\nMüller,9,"ÿ"\n');
  });

  test('beyond the last cell of a short line, with the missing delimiters', async () => {
    const result = await mended(Buffer.from('a,b,c,d\n1\n2,2,2,2\n'), [cellMend(2, ['1'], [[2, 'x']])]);
    expect(result.toString()).toBe('a,b,c,d\n1,,x\n2,2,2,2\n');
  });

  test('at the end of a file without a line break', async () => {
    const result = await mended(Buffer.from('\ufeffa,b\n1,2'), [cellMend(2, ['1', '2'], [[1, '3']])]);
    expect(result.toString()).toBe('\ufeffa,b\n1,3');
  });
});

test('mendText replaces a broken line completely', async () => {
  const result = await mended(Buffer.from('a,b\n1,"2\n3,4\n'), [{ line: 2, lines: 1, before: '1,"2', text: '1,"2"' }]);
  expect(result.toString()).toBe('a,b\n1,"2"\n3,4\n');
});

test('mendText protects a cell that a spreadsheet would run as a formula', async () => {
  const result = await mended(Buffer.from('a,b\n1,2\n'), [
    cellMend(
      2,
      ['1', '2'],
      [
        [0, '=1+1'],
        [1, '-5'],
      ],
    ),
  ]);
  expect(result.toString()).toBe("a,b\n'=1+1,-5\n");
});

test('mendText changes no line that differs from the expected one, and no encoding that lacks a character', async () => {
  const bytes = Buffer.from('a,b\n1,2\n');
  await expect(mended(bytes, [cellMend(2, ['1', 'other'], [[1, '3']])])).rejects.toThrow('Line 2 has changed since');
  await expect(mended(bytes, [cellMend(9, ['1', '2'], [[1, '3']])])).rejects.toThrow('Line 9 has changed since');
  const latin = mended(bytes, [cellMend(2, ['1', '2'], [[1, '東']])], 'windows-1252');
  await expect(latin).rejects.toThrow('WINDOWS-1252, which has no character "東"');
});

test('two hundred thousand lines may be corrected in one step', async () => {
  const lines = Array.from({ length: 200_000 }, (_none, at) => `A ${at},1 EUR`);
  const mends = lines.map((line, at) => cellMend(at + 2, line.split(','), [[1, '1']]));
  // A first line that has changed ends the step once all lines are found, so that the test is short.
  const changed = ['B,1 EUR', ...lines.slice(1)];
  const bytes = Buffer.from(['name,requested_limit', ...changed, ''].join('\n'));
  await expect(mended(bytes, mends)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('Line 2 has changed'),
  });
});
