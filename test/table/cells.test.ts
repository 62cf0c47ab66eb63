import * as csvParse from 'csv-parse/sync';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { findQuoteFault, hasOddQuotes, readLines, readSound } from '../../src/table/cells.ts';
import { markByte } from '../../src/table/encodings/utf8.ts';
import { makeRecordReader } from '../../src/table/records.ts';
import { hardText } from '../support/any-text.ts';

vi.mock('csv-parse/sync', { spy: true });

describe('readSound', () => {
  test.each([
    ['', ['']],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [',', ['', '']],
    ['""', ['']],
    ['"",""', ['', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a ""b""",c', ['a "b"', 'c']],
    ['""""', ['"']],
    ['"a\r\nb",c', ['a\r\nb', 'c']],
    [' a , b ', [' a ', ' b ']],
    ['="01",="","x,="",y"', ['="01"', '=""', 'x,=",y']],
    ['\ufeffa,b', ['\ufeffa', 'b']],
  ])('cuts %j into %j, alone and among other lines', (text, cells) => {
    expect(readSound([text], ',')).toEqual([cells]);
    expect(readSound(['x,"y"', text, text, 'z'], ',')).toEqual([['x', 'y'], cells, cells, ['z']]);
  });

  test('reads the records that csv-stringify writes, in one call of csv-parse', () => {
    const records = fc.array(fc.array(hardText, { minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.boolean(), (rows, quoted) => {
        vi.mocked(csvParse.parse).mockClear();
        const texts = rows.map((cells) => stringify([cells], { quoted, eof: false }));
        expect(readSound(texts, ',')).toEqual(rows);
        expect(csvParse.parse).toHaveBeenCalledOnce();
      }),
    );
  });

  test('keeps damaged bytes apart from each other and from U+FFFD', () => {
    const damaged = fc.string({ unit: fc.constantFrom('a', '"', '\ufffd', markByte(0xfc), markByte(0x80), '\ud83d') });
    fc.assert(
      fc.property(fc.array(fc.array(damaged, { minLength: 1 }), { minLength: 1 }), (rows) => {
        const texts = rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
        expect(readSound(texts, ',')).toEqual(rows);
      }),
    );
  });
});

test('csv-parse reads all lines of a file, hundreds in one call', () => {
  vi.mocked(csvParse.parse).mockClear();
  const reader = makeRecordReader(';');
  reader.feed(Array.from({ length: 5_000 }, (_, n) => `Buyer ${n};${n}\n`).join(''));
  reader.end();
  const shape = { fits: () => true, mayBreak: () => true, standsAlone: () => false };
  for (let n = 0; n < 5_000; n += 1) expect(reader.next(shape)?.cells).toEqual([`Buyer ${n}`, `${n}`]);
  expect(reader.next(shape)).toBeNull();
  const given = vi.mocked(csvParse.parse).mock.calls.map(([text]) => String(text).split('\n').length - 1);
  expect(given.reduce((sum, lines) => sum + lines, 0)).toBe(5_000);
  expect(given.length).toBeLessThan(25);
});

describe('readLines', () => {
  test('reads the lines around a broken one, and the cells before its fault', () => {
    expect(readLines(['a,"b,c"', '"d,e",5" f,"g"', 'h', '"i', 'j"'], ',')).toEqual([
      { cells: ['a', 'b,c'], fault: null },
      { cells: ['d,e', '5" f', '"g"'], fault: { kind: 'stray', cell: 1 } },
      { cells: ['h'], fault: null },
      { cells: ['"i'], fault: { kind: 'unclosed', cell: 0 } },
      { cells: ['j"'], fault: { kind: 'stray', cell: 0 } },
    ]);
  });

  test('leaves Error.stackTraceLimit unchanged', () => {
    const limit = Error.stackTraceLimit;
    readLines(['a,b', 'c', '"d"e,"f"'], ',');
    expect(Error.stackTraceLimit).toBe(limit);
  });

  test('never joins two lines', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ',', '"'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const alone = lines.map((text) => readLines([text], ',')[0]);
        expect(readLines(lines, ',')).toEqual(alone);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('findQuoteFault', () => {
  test.each(['', 'a', 'a,b', ',', '""', '"",""', '"a,b",c', '"a ""b""",c', '""""', '"a\r\nb",c', ' a , b ', '="01",b'])(
    'finds no fault in %j',
    (text) => {
      expect(findQuoteFault(text, ',')).toBeNull();
    },
  );

  test.each([
    ['"a', 'unclosed', 0],
    ['a,"b""', 'unclosed', 2],
    ['a,5" pipe,c', 'stray', 2],
    ['a, "b"', 'stray', 2],
    ['="a"b', 'stray', 0],
    ['b,="a"&"b"', 'stray', 2],
    ['a,"b"c,d', 'trailing', 2],
    ['"a" ,b', 'trailing', 0],
  ])('finds in %j a quotation mark that is %s at %i', (text, kind, at) => {
    expect(findQuoteFault(text, ',')).toEqual({ kind, at });
  });

  test('finds no fault in records that csv-stringify writes', () => {
    fc.assert(
      fc.property(fc.array(hardText, { minLength: 1 }), fc.boolean(), (cells, quoted) => {
        expect(findQuoteFault(stringify([cells], { quoted, eof: false }), ',')).toBeNull();
      }),
    );
  });

  test('finds a fault in exactly the lines that csv-parse refuses', () => {
    fc.assert(
      fc.property(hardLine, (line) => {
        expect(findQuoteFault(line, ',') !== null).toBe(isRefused(line));
      }),
      { numRuns: 1000 },
    );
  });
});

test('a line with an unclosed cell has an odd number of quotation marks, and a faultless line an even one', () => {
  fc.assert(
    fc.property(hardLine, (line) => {
      if (findQuoteFault(line, ',')?.kind === 'unclosed') expect(hasOddQuotes(line)).toBe(true);
      if (findQuoteFault(line, ',') === null) expect(hasOddQuotes(line)).toBe(false);
    }),
  );
});

const hardLine = hardText.map((text) => text.replaceAll(/[\r\n]/g, ''));

function isRefused(line: string): boolean {
  try {
    parse(line, { relax_column_count: true });
    return false;
  } catch {
    return true;
  }
}
