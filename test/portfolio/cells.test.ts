import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCells, splitPlain } from '../../src/portfolio/cells.ts';

/** Texts made of what matters to a CSV parser. */
const hardText = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', ',', '"', '\n', '\r') });

describe('parseCells', () => {
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
  ])('cuts %j into %j', (text, cells) => {
    expect(parseCells(text, ',')).toEqual({ cells, fault: null });
  });

  test.each([
    ['"a', 'unclosed', 0],
    ['a,"b""', 'unclosed', 2],
    ['a,5" pipe,c', 'stray', 2],
    ['a, "b"', 'stray', 2],
    ['a,"b"c,d', 'trailing', 2],
    ['"a" ,b', 'trailing', 0],
  ])('finds in %j a quotation mark that is %s at %i', (text, kind, at) => {
    const { cells, fault } = parseCells(text, ',');
    expect(fault).toEqual({ kind, at });
    expect(cells).toEqual(text.slice(0, at).split(',').slice(0, -1));
  });

  test('gives back the cells of any record that csv-stringify writes', () => {
    fc.assert(
      fc.property(fc.array(hardText, { minLength: 1 }), fc.boolean(), (cells, quoted) => {
        const text = stringify([cells], { quoted, eof: false });
        expect(parseCells(text, ',')).toEqual({ cells, fault: null });
      }),
    );
  });

  test('agrees with csv-parse on any text on one line', () => {
    const line = hardText.filter((text) => !/[\r\n]/.test(text) && text.trim() !== '');
    fc.assert(
      fc.property(line, (text) => {
        expect(parseCells(text, ',').fault ? 'refused' : parseCells(text, ',').cells).toEqual(byCsvParse(text));
      }),
      { numRuns: 1000 },
    );
  });
});

test('splitPlain cuts as split does', () => {
  fc.assert(
    fc.property(hardText, (text) => {
      expect(splitPlain(text, ',')).toEqual(text.split(','));
    }),
  );
});

function byCsvParse(text: string): string[] | 'refused' {
  try {
    return parse(text, { relax_column_count: true })[0] ?? [''];
  } catch {
    return 'refused';
  }
}
