import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { makeDecoder } from '../../src/table/encodings/decoders.ts';
import { encodeTable, makeTableText, tableTexts } from '../../src/table/write-table.ts';

async function written(records: string[][], dialect: Dialect): Promise<Buffer> {
  return buffer(encodeTable(Readable.from(records).pipe(makeTableText(dialect)), dialect));
}

test('records that are read give the same as those that are written, however many there are', async () => {
  const dialect: Dialect = { encoding: 'utf-8', bom: true, delimiter: ';', sepLine: false, lineBreak: '\r\n' };
  for (const count of [0, 1, 199, 200, 201, 450]) {
    const records = Array.from({ length: count }, (_none, at) => [`=${at}`, 'a;"b"', '', `c\r\n${at}`]);
    expect(await buffer(encodeTable(tableTexts(Readable.from(records), dialect), dialect))).toEqual(
      await written(records, dialect),
    );
  }
});

test('a table is written with what its file begins with, in its encoding, and kept from being run', async () => {
  const dialect: Dialect = { encoding: 'utf-16le', bom: true, delimiter: ';', sepLine: true, lineBreak: '\n' };
  const records = [
    ['name', 'note'],
    ['Müller', '=1+1'],
    ['A;B', 'two\r\nlines'],
  ];
  const bytes = await written(records, dialect);
  expect(bytes.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xfe));
  expect(makeDecoder('utf-16le').decode(bytes)).toBe('sep=;\nname;note\nMüller;\'=1+1\n"A;B";"two\r\nlines"\n');
});

test('a table of nothing has nothing but what its file begins with', async () => {
  expect(await written([], PLAIN_DIALECT)).toHaveLength(0);
  expect((await written([], { ...PLAIN_DIALECT, bom: true })).toString('hex')).toBe('efbbbf');
});
