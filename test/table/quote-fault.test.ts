import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findQuoteFault, hasOddQuotes } from '../../src/table/quote-fault.ts';
import { hardText } from '../support/any-text.ts';

describe('findQuoteFault', () => {
  test.each(['', 'a', 'a,b', ',', '""', '"",""', '"a,b",c', '"a ""b""",c', '""""', '"a\r\nb",c', ' a , b '])(
    'finds none in %j',
    (text) => {
      expect(findQuoteFault(text, ',')).toBeNull();
    },
  );

  test.each([
    ['"a', 'unclosed', 0],
    ['a,"b""', 'unclosed', 2],
    ['a,5" pipe,c', 'stray', 2],
    ['a, "b"', 'stray', 2],
    ['a,"b"c,d', 'trailing', 2],
    ['"a" ,b', 'trailing', 0],
  ])('finds in %j a quotation mark that is %s at %i', (text, kind, at) => {
    expect(findQuoteFault(text, ',')).toEqual({ kind, at });
  });

  test('finds none in any record that csv-stringify writes', () => {
    fc.assert(
      fc.property(fc.array(hardText, { minLength: 1 }), fc.boolean(), (cells, quoted) => {
        expect(findQuoteFault(stringify([cells], { quoted, eof: false }), ',')).toBeNull();
      }),
    );
  });

  test('finds one in those lines that csv-parse refuses, and in no others', () => {
    fc.assert(
      fc.property(hardLine, (line) => {
        expect(findQuoteFault(line, ',') !== null).toBe(isRefused(line));
      }),
      { numRuns: 1000 },
    );
  });
});

test('a line that leaves a cell open has an odd number of quotation marks', () => {
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
