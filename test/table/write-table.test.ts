import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { makeDecoder } from '../../src/table/encodings/decoders.ts';
import { harmless } from '../../src/table/formulas.ts';
import { encodeTable, makeTableLine, tableTexts } from '../../src/table/write-table.ts';
import { stringifyOptions } from '../support/temporary-folder.ts';

async function written(records: string[][], dialect: Dialect): Promise<Buffer> {
  return buffer(encodeTable(tableTexts(Readable.from(records), dialect), dialect));
}

test('any number of records is written as csv-stringify writes them', async () => {
  const dialect: Dialect = { encoding: 'utf-8', bom: false, delimiter: ';', sepLine: false, lineBreak: '\r\n' };
  for (const count of [0, 1, 2, 5_000]) {
    const records = Array.from({ length: count }, (_none, at) => [`=${at}`, 'a;"b"', '', `c\r\n${at}`]);
    const theirs = stringify(records, { ...stringifyOptions(dialect), cast: { string: harmless } });
    expect((await written(records, dialect)).toString()).toBe(theirs);
  }
});

test('a table is written in its encoding with its byte order mark and sep= line, and formulas are protected', async () => {
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

test('a table without records has at most a byte order mark', async () => {
  expect(await written([], PLAIN_DIALECT)).toHaveLength(0);
  expect((await written([], { ...PLAIN_DIALECT, bom: true })).toString('hex')).toBe('efbbbf');
});

test('a line with any cells is written as csv-stringify writes it', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', ' ', 'a', '1', 'ü') }),
    fc.nat(),
  );
  const dialect = fc.record({
    delimiter: fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
    lineBreak: fc.constantFrom('\n' as const, '\r\n' as const),
  });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), dialect, (cells, like) => {
      const theirs = stringify([cells], { ...stringifyOptions(like), cast: { string: harmless } });
      expect(makeTableLine(like)(cells)).toBe(theirs);
    }),
  );
});
