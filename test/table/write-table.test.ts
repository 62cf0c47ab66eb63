import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { makeDecoder } from '../../src/table/encodings/decoders.ts';
import {
  encodeTable,
  harmless,
  makeTableText,
  plainTableLine,
  quotingOf,
  tableTexts,
  withoutApostrophe,
} from '../../src/table/write-table.ts';

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

test.each([
  '＝1+1',
  '＋cmd',
  '－2',
  '＠SUM(A1)',
  '=1+1',
  '+cmd',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u{feff}=1',
  '\u{3000}＝1',
  '\u{a0}@x',
  ' - 2 + x',
  '\t5',
])('%j is kept from being run as a formula', (cell) => {
  expect(harmless(cell)).toBe(`'${cell}`);
});

test.each(['', 'Acme', "'quoted'", '-5', '-1.234,50', '+49 431 1234', '-1’000.50', ' -5', ' x=1'])(
  '%j stays as it is',
  (cell) => {
    expect(harmless(cell)).toBe(cell);
  },
);

test('what was made harmless is read as it was, whatever it is', () => {
  const cell = fc.string({
    unit: fc.constantFrom("'", '＝', '=', '+', '-', '@', '\t', '\n', '1', 'a', ' ', '\u{feff}'),
  });
  fc.assert(
    fc.property(cell, (text) => {
      // A text that has the apostrophe already is the one thing that cannot be told from one that was made harmless.
      fc.pre(withoutApostrophe(text) === text);
      expect(withoutApostrophe(harmless(text))).toBe(text);
    }),
  );
});

test('a cell as long as a sheet allows is looked at in no time', () => {
  const cells = [`-${'1'.repeat(32_000)}x`, `${' '.repeat(32_000)}-x`];
  const begun = performance.now();
  for (let times = 0; times < 5; times += 1) for (const cell of cells) expect(harmless(cell) === `'${cell}`).toBe(true);
  // With a way back at each character each takes more than a second, on any machine.
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test('a line is what csv-stringify makes of it, whatever stands in its cells', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', ' ', 'a', '1', 'ü') }),
    fc.nat(),
  );
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), (cells) => {
      const theirs = stringify([cells], { ...quotingOf(PLAIN_DIALECT), cast: { string: harmless } });
      expect(plainTableLine(cells)).toBe(theirs);
    }),
  );
});
