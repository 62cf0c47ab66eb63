import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeMedian } from '../../../src/portfolio/lines/median.ts';
import { decimalsOf } from '../../../src/portfolio/values/currencies.ts';
import { read, told } from '../../support/workbooks.ts';

describe('a line is accepted with a warning', () => {
  // Promises: implausible-limits-warned, customer-numbers-warned
  test.each<[string, string, RegExp]>([
    ['a limit with three decimals', 'A;1.000,125;;DE', /^2 Limit: The limit has more decimals/],
    ['a limit under 1', 'A;0,5;;DE', /^2 Limit: The limit is below 1/],
    ['a limit far under 1', 'A;0,00125;;DE', /^2 Limit: The limit is below 1/],
    ['an amount with leading zeros, like a customer number', 'A;0010001;;DE', /^2 Limit: The amount begins with zeros/],
    ['a name of digits', '10-001;500;;DE', /^2 Name: The name has no letter/],
    ['a long name', `${'A'.repeat(30_000)};5;;DE`, /^2 Name: The name is longer than/],
    ['a name that reads like a total', 'Total;5;;FR', /^2 Name: The buyer's name reads like a total/],
    [
      'an e-mail address at an example domain',
      'A;5;anna@example.com;DE',
      /^2 E-Mail: Mail to a domain for examples reaches nobody/,
    ],
    [
      'an e-mail address below an example domain',
      'A;5;anna@mail.Example.org;DE',
      /^2 E-Mail: Mail to a domain for examples/,
    ],
    ['a name that was read as Windows-1252', 'MÃ¼ller & SÃ¶hne;5;;DE', /^2 Name: Some letters stand as two signs/],
    ['a Polish name that was', 'WrocÅ‚aw;5;;PL', /^2 Name: Some letters stand as two signs/],
    ['an e-mail address at a test domain', 'A;5;anna@firma.test;DE', /^2 E-Mail: Mail to a domain for examples/],
  ])('for %s', async (_, line, warning) => {
    const { lines } = await read(`Name;Limit;E-Mail;Land\n${line}\n`);
    expect(lines).toMatchObject([{ kind: 'row' }]);
    expect(told(lines)).toEqual([expect.stringMatching(warning)]);
  });

  test.each([
    'A;1.000,1200;anna@examples.com;DE',
    '3M;00001,50;;DE',
    `${'A'.repeat(160)};1;a@test.com;DE`,
    'Total Energies;5;a@b.example;FR',
    'JOÃO ÅÄÖ ÂNGELO ÇA;5;a@b.example;PT',
    '„BLÄ“ GmbH;5;a@b.example;DE',
  ])('but not for %s', async (line) => {
    const { lines } = await read(`Firma;Limit;E-Mail;Land\n${line}\n`);
    expect(told(lines)).toEqual([]);
  });
});

// Promise: city-of-digits-warned
test('a city of digits gets a warning, since it may be the decimals of an unquoted amount', async () => {
  const { lines } = await read('name,requested_limit,city\nAcme,1234,56\nBeta,1234,Köln 5\n');
  expect(told(lines)).toEqual([expect.stringMatching(/^2 city: The city is a number: check that no amount before it/)]);
});

test('a city in a wrong encoding gets a warning', async () => {
  const { lines } = await read('name,requested_limit,city\nAcme,1234,KÃ¶ln\nBeta,1234,Köln\n');
  expect(told(lines)).toEqual([expect.stringMatching(/^2 city: Some letters stand as two signs/)]);
});

// Promise: lost-letters-are-told
test('question marks in place of letters are a warning, and a problem where the name has nothing else', async () => {
  const lost = '????? 4,5,\n?ód? Handel,6,Köln\nAcme,7,Dun?rea\nWho is next?,8,What?\n';
  const { lines } = await read(`name,requested_limit,city\n${lost}`);
  expect(lines.map(({ kind }) => kind)).toEqual(['invalid', 'row', 'row', 'row']);
  expect(told(lines)).toEqual([
    expect.stringMatching(/^2 name: The letters of this name are lost/),
    expect.stringMatching(/^3 name: A question mark stands where a letter may be lost/),
    expect.stringMatching(/^4 city: A question mark stands where a letter may be lost/),
  ]);
});

test.each<[string, string[]]>([
  ['12;Summe;;200000', [expect.stringMatching(/^2 Firma: The buyer's name reads like a total: remove the line/)]],
  ['12;Total;FR;200000', []],
])(
  '%s: a reference makes a total word a buyer, with a warning if the line has nothing else',
  async (line, warnings) => {
    const { lines } = await read(`Kundennr;Firma;Land;Limit\n${line}\n`);
    expect(lines).toMatchObject([{ kind: 'row' }]);
    expect(told(lines)).toEqual(warnings);
  },
);

test.each<[string, string, string[]]>([
  ['in a column', 'name,requested_limit,currency\nA,5.1255,KWD\nB,5.125,KWD\n', ['2']],
  ['in the header', 'name,Limit (JPY)\nA,7.5\nB,7\n', ['2']],
])('the number of decimals is checked by the currency that the file names %s', async (_, content, lines) => {
  const { lines: found } = await read(content, { decimal: '.' });
  expect(told(found)).toEqual(lines.map((line) => expect.stringMatching(new RegExp(`^${line} .*more decimals`))));
});

// Promise: implausible-limits-warned
test.each<[string, string[]]>([
  ['name;requested_limit\nAcme;1.234,56\nBeta;10,500\nGamma;2,000\nDelta;2,750\nEps;3.750\n', ['3', '4', '5']],
  ['name;requested_limit\nAcme;1000.00\nBeta;10.500 EUR\n', ['3']],
  ['name;requested_limit;currency\nAcme;1000.00;KWD\nBeta;10.500;KWD\n', []],
])(
  'three digits that other amounts show to be decimals get a warning, even if they end in zeros: %j',
  async (content, lines) => {
    const { lines: found } = await read(content);
    expect(found.every(({ kind }) => kind === 'row')).toBe(true);
    expect(told(found)).toEqual(
      lines.map((line) => expect.stringMatching(new RegExp(`^${line} .*read as decimals: check that they are not`))),
    );
  },
);

// Promise: implausible-limits-warned
test('a limit of a thousand times the median gets a warning with its line at the end of the file', async () => {
  const { warnings } = await read('name,requested_limit\nA,1000\nB,2000\nC,2500000\nD,1500\nE,2000\n');
  expect(warnings[0]).toEqual({
    line: 4,
    column: 'requested_limit',
    value: '2500000',
    message: 'This is 1,250 times the median of the file, which is 2,000: check that it is meant.',
  });
});

test('each line with a doubtful amount gets its own warning', async () => {
  const lines = Array.from({ length: 50 }, (_none, n) => `B${n},${n + 1}.1255\n`);
  const found = await read(`name,requested_limit\n${lines.join('')}`);
  expect(told(found.lines)).toHaveLength(50);
});

test.each([
  [undefined, 2],
  ['EUR', 2],
  ['JPY', 0],
  ['¥', 2],
  ['€', 2],
  ['KWD', 3],
  ['ZZZ', 2],
])('amounts in %s have %i decimals', (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

function medianOf(amounts: readonly number[], keeps = 3) {
  const median = makeMedian({ keeps });
  for (const [place, amount] of amounts.entries()) median.add(place + 2, amount);
  return median;
}

describe('makeMedian', () => {
  test('lists and counts amounts of at least a thousand times the median', () => {
    const median = medianOf([100, 100_000, 100, 99_999, 250_000, 100, 100]);
    expect(median.above(1_000)).toEqual([
      { line: 3, amount: 100_000, times: 1_000, median: 100 },
      { line: 6, amount: 250_000, times: 2_500, median: 100 },
    ]);
    expect(median.countAbove(1_000)).toBe(2);
  });

  test('uses the mean of the two middle amounts', () => {
    expect(medianOf([1, 2, 4, 10_000]).above(1_000)).toMatchObject([{ line: 5, median: 3 }]);
  });

  test('lists nothing for fewer than three amounts', () => {
    for (const amounts of [[], [1], [1, 1_000_000]]) {
      const median = medianOf(amounts);
      expect({ above: median.above(1_000), count: median.countAbove(1_000) }).toEqual({ above: [], count: 0 });
    }
  });

  test('keeps the largest amounts, and counts the others', () => {
    const median = medianOf([...Array.from({ length: 20 }, () => 1), 5_000, 7_000, 6_000, 9_000, 8_000]);
    expect(median.above(1_000).map(({ line }) => line)).toEqual([23, 25, 26]);
    expect(median.countAbove(1_000)).toBe(5);
  });

  test('finds the median and the line far above it in files of any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 50 }),
        (amounts) => {
          const many = Array.from({ length: 101 }, () => amounts).flat();
          const sorted = [...many, 1e16].toSorted((a, b) => a - b);
          const half = sorted.length >> 1;
          const truth = sorted.length % 2 === 1 ? sorted[half] : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
          // An amount far above all others.
          const [found] = medianOf([...many, 1e16], 1).above(1);
          expect(found?.line).toBe(many.length + 2);
          expect(found?.median).toBeCloseTo(truth ?? 0, 1);
        },
      ),
      { numRuns: 50 },
    );
  });
});
