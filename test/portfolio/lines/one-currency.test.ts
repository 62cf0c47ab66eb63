import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../src/portfolio/problem.ts';
import { currencyOf } from '../../../src/portfolio/values/currencies.ts';
import { type Formatted, read, readWorkbook, told, writeFormatted } from '../../support/workbooks.ts';

/** The invalid lines with the words of their problems. */
async function wrong(content: string, options: Parameters<typeof read>[1] = {}) {
  const opened = await read(content, options);
  const invalid = opened.lines.flatMap((line) =>
    line.kind === 'invalid' ? [[line.line, line.problems.map((one) => `${one.column}: ${one.message}`).join(' ')]] : [],
  );
  return { ...opened, invalid };
}

describe('a currency', () => {
  test.each([
    ['eur', 'EUR'],
    ['€', 'EUR'],
    ['Euro', 'EUR'],
    ['US$', 'USD'],
    ['us dollars', 'USD'],
    ['CHF', 'CHF'],
    ['Fr.', 'CHF'],
    ['zł', 'PLN'],
    ['£', 'GBP'],
  ])('%s is recognised as %s', (word, code) => {
    expect(currencyOf(word)?.has(code)).toBe(true);
  });

  test.each(['', 'LCY', 'Taler', 'EURO1', 'x'.repeat(100)])('is not recognised in %j', (word) =>
    expect(currencyOf(word)).toBeNull(),
  );
});

describe('two currencies in one file', () => {
  test.each(['NULL', '\\N', '"=""EUR"""'])('are not found by %s in the column of the currency', async (word) => {
    const { invalid } = await wrong(`name,requested_limit,currency\nA,1,${word}\nB,2,EUR\n`);
    expect(invalid).toEqual([]);
  });

  // Promise: one-currency-a-file
  test.each<[string, string, string?]>([
    ['a column', 'name;requested_limit;Währung\nA;1;\nB;2;EUR\nC;3;€\nD;4;USD\nE;5;Euro\n', 'say --map "Währung="'],
    ['signs beside amounts', 'name;requested_limit\nA;1\nB;2 €\nC;EUR 3\nD;$ 4\nE;5\n'],
    ['signs beside amounts with a dash', 'name;requested_limit\nA;1\nB;2,– €\nC;EUR 3,-\nD;$ 4,–\nE;5,-\n'],
    [
      'the unit in the header',
      'name;Limit (EUR);WAERS\nA;1;\nB;2;EUR\nC;3;€\nD;4;USD\nE;5 €;EUR\n',
      'say --map "WAERS="',
    ],
    ['an amount and its column', 'name;requested_limit;WAERS\nA;1;EUR\nB;2;EUR\nC;3;\nD;4 USD;EUR\nE;5;\n'],
  ])('make the differing lines invalid, if named by %s', async (_by, content, remedy = '') => {
    const { invalid, lines } = await wrong(content);
    expect(invalid).toEqual([
      [5, expect.stringMatching(/The currency is (USD|\$), but (line [23]|the header) says (EUR|€)\./)],
    ]);
    expect(invalid[0]?.[1]).toContain(remedy || 'if only the currency beside this amount is wrong, correct it');
    expect(lines).toHaveLength(5);
  });

  // Promise: one-currency-a-file
  test("are detected in a workbook's number formats, and written beside the amount in a text file", async () => {
    const amount = (code: string) => ({ value: '50000', code });
    const { lines, currency, rewriter } = await readWorkbook((path) =>
      writeFormatted(
        path,
        ['name', 'requested_limit'],
        [
          ['A', '1000'],
          ['B', amount('#,##0.00 [$€-407]')],
          ['C', amount('[$$-409]#,##0.00')],
          ['D', amount('#,##0 "CHF"')],
          ['E', amount('#,##0 "EUR"')],
          ['F', amount('[$R-1C09] #,##0')],
          ['G', amount('#,##0')],
        ],
      ),
    );
    expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'invalid', 'invalid', 'row', 'row', 'row']);
    expect(told(lines.slice(2, 4))).toEqual([
      expect.stringContaining('The currency is $, but line 3 says €.'),
      expect.stringContaining('The currency is CHF, but line 3 says €.'),
    ]);
    expect(lines.slice(1, 5).map(({ cells }) => cells[1])).toEqual(['50000', '50000 $', '50000 CHF', '50000']);
    expect(currency()).toBe('EUR');
    expect(lines.slice(1, 3).map((line) => rewriter.cells(line)[1])).toEqual(['50000', '? 50000 $']);
  });

  test('are reported with a remedy for number formats, and not beside a word that is no currency code', async () => {
    const amount = { value: '50000', code: '#,##0.00 [$$-380A]' };
    const of = (...rows: string[]) =>
      readWorkbook((path) =>
        writeFormatted(
          path,
          ['name', 'currency', 'requested_limit'],
          [...rows.map((currency, n) => [`Buyer ${n}`, currency, amount])],
        ),
      );
    expect(told((await of('UYU')).lines)).toEqual([
      expect.stringMatching(
        /The currency is \$, but line 2 says UYU\. .*if only the number format .* is wrong, choose/,
      ),
    ]);
    expect((await of('LCY', '')).lines.map(({ kind }) => kind)).toEqual(['row', 'row']);
  });

  test('are not reported if a sign may stand for both', async () => {
    expect((await wrong('name;requested_limit;ccy\nA;$1;\nB;2;CAD\nC;$ 3;CAD\n')).invalid).toEqual([]);
    expect((await wrong('name;requested_limit;ccy\nA;$1;\nB;2;CAD\nC;3;USD\n')).invalid).toEqual([
      [4, expect.stringContaining('The currency is USD')],
    ]);
  });

  test('are compared as written if a word is no currency code, with one warning', async () => {
    const { invalid, warnings } = await wrong('name;requested_limit;ccy\nA;1;LCY\nB;2;lcy\nC;3;EUR\n');
    expect(invalid).toEqual([[4, expect.stringContaining('line 2 says LCY')]]);
    expect(warnings.filter(({ column }) => column === 'ccy')).toMatchObject([{ line: 2, value: 'LCY' }]);
  });

  test('are compared with a constant currency of the mapping', async () => {
    const mapping = { columns: {}, constants: { currency: 'EUR' } };
    expect((await wrong('name;requested_limit\nA;1\nB;$ 2\n', { mapping })).invalid).toEqual([
      [3, expect.stringContaining('the mapping says EUR')],
    ]);
  });

  // Promise: one-currency-a-file
  test.each([
    ['a column', 'name;requested_limit;Währung\nA;1;EUR\nB;2;USD\nC;3;USD\n'],
    ['signs', 'name;requested_limit\nA;1 €\nB;$ 2.000,00\nC;$ 3\n'],
  ])('remain a problem in an errors file with only those lines, if named by %s', async (_by, content) => {
    const { rewriter, lines } = await wrong(content);
    const errors = lines.filter(({ kind }) => kind === 'invalid').map((line) => rewriter.cells(line));
    const again = [rewriter.header, ...errors].map((cells) => cells.join(';')).join('\n');
    for (const decimal of [undefined, '.', ','] as const) {
      const { invalid } = await wrong(again, { decimal });
      expect(invalid).toEqual([
        [2, expect.stringContaining('question mark')],
        [3, expect.stringContaining('question mark')],
      ]);
      expect(invalid.map(([, words]) => String(words).split('question mark').length)).toEqual([3, 3]);
    }
    expect((await wrong(again.replaceAll('? ', '').replaceAll(' ?', ''))).invalid).toEqual([]);
  });

  test('are not sent: the column is compared and kept', async () => {
    const { lines } = await wrong('name;requested_limit;currency\nA;1;EUR\n');
    expect(lines).toMatchObject([{ kind: 'row', cells: ['A', '1', 'EUR'] }]);
    expect(JSON.stringify(lines[0]?.kind === 'row' && lines[0].row)).not.toContain('EUR');
  });
});

describe('a currency that only some lines name', () => {
  const some = ({ warnings }: { warnings: Problem[] }) =>
    warnings.filter(({ message }) => message.startsWith('Only ')).map(({ line, message }) => [line, message]);

  // Promise: some-lines-name-currency
  test.each([
    [
      'beside one amount',
      'name;requested_limit\nA;10.000,00\nB;20.000,00\nC;USD 5.000,00\nD;30.000,00\n',
      'Only 1 of 4 lines names a currency (USD, first on line 4): check that the amounts of the others are in it too.',
    ],
    [
      'in a column',
      'name;requested_limit;currency\nA;1;\nB;2;EUR\nC;3;\nD;4;€\n',
      'Only 2 of 4 lines name a currency (EUR, first on line 3): check that the amounts of the others are in it too.',
    ],
    [
      'in all lines but one',
      'name;requested_limit\nA;1 EUR\nB;2\nC;3 EUR\n',
      'Only 2 of 3 lines name a currency (EUR, first on line 2): check that the amount of the other, on line 3, is in it too.',
    ],
    [
      'in a line that is invalid for another reason',
      'name;requested_limit\nA;1\n;2 EUR\nC;3\n',
      'Only 1 of 3 lines names a currency (EUR, first on line 3): check that the amounts of the others are in it too.',
    ],
  ])('is a warning for the whole file: %s', async (_where, content, words) => {
    const found = await read(content);
    expect(some(found)).toEqual([[0, words]]);
  });

  // Promise: few-lines-name-no-currency
  test.each<[string, string, number[], string | undefined]>([
    ['one line of many', 'name;requested_limit\nA;1\nB;2\nC;USD 5.000,00\nD;3\n', [4], undefined],
    ['the last line only', 'name;requested_limit\nA;1\nB;2\nC;3\nD;4 USD\n', [5], undefined],
    [
      'two lines of many, in a column,',
      'name;requested_limit;ccy\nA;1;\nB;2;USD\nC;3;\nD;4;USD\nE;5;\nF;6;\nG;7;\nH;8;\n',
      [3, 5],
      undefined,
    ],
    ['half of the lines', 'name;requested_limit;ccy\nA;1;\nB;2;EUR\nC;3;€\nD;4;\n', [], 'EUR'],
    ['all lines but the first', 'name;requested_limit\nA;1\nB;2 EUR\nC;3 EUR\nD;4 EUR\n', [], 'EUR'],
    ['the first line only', 'name;requested_limit\nA;1 USD\nB;2\nC;3\nD;4\n', [], 'USD'],
    ['the header too', 'name;Limit (USD)\nA;1\nB;2 USD\nC;3\n', [], 'USD'],
  ])('named by %s gives warnings on these lines and no currency of the file if they are few', async (...given) => {
    const [, content, warned, currency] = given;
    const found = await read(content);
    const about = found.lines.flatMap((line) =>
      line.kind === 'row'
        ? line.warnings.filter(({ message }) => message.startsWith('This line names a currency'))
        : [],
    );
    expect(about.map(({ line }) => line)).toEqual(warned);
    expect(found.currency()).toBe(currency);
  });

  test('is reported with the cell that names it, at most ten times', async () => {
    const lines = (count: number, cell: string) => Array.from({ length: count }, (_none, n) => `A${n} ${cell};${cell}`);
    const { lines: all } = await read(['name;requested_limit', ...lines(400, '1'), ...lines(12, '2 USD')].join('\n'));
    const about = all.flatMap((line) => (line.kind === 'row' ? line.warnings : []));
    const told = about.filter(({ message }) => message.includes('names a currency'));
    expect(told).toHaveLength(10);
    expect(told[0]).toMatchObject({
      line: 402,
      column: 'requested_limit',
      value: '2 USD',
      message:
        'This line names a currency (USD), and most lines of the file name none. Requests carry no currency: if this amount is in another one than theirs, put the line into a file of its own.',
    });
  });

  test.each<[string, string, Parameters<typeof read>[1]]>([
    ['all lines with an amount name it', 'name;requested_limit\nA;1 €\nB;\nC;x\nD;EUR 3\nSumme;4\n', {}],
    [
      'the column is filled beside all amounts',
      'name;requested_limit;ccy\nA;1;EUR\nB;;\nC;3;EUR\nSumme;4;\n* Stand heute;;\n',
      {},
    ],
    ['the header names it', 'name;Limit (EUR)\nA;1 €\nB;2\n', {}],
    [
      'the mapping names it',
      'name;requested_limit\nA;1 €\nB;2\n',
      { mapping: { columns: {}, constants: { currency: 'EUR' } } },
    ],
    ['no line names it', 'name;requested_limit;ccy\nA;1;\nB;2;\n', {}],
    ['the other lines name another one', 'name;requested_limit\nA;1 EUR\nB;2 USD\n', {}],
  ])('gives no warning if %s', async (_why, content, options) => {
    expect(some(await read(content, options))).toEqual([]);
  });

  // Promise: some-lines-name-currency
  test('gives no warning if only the first line names it, as accountants write', async () => {
    const { warnings } = await read('name;requested_limit\nA;$ 10,000.00\nB;20,000.00\nC;5,000.00\n');
    expect(warnings.filter(({ message }) => message.includes('a currency ('))).toEqual([]);
  });

  // Promise: some-lines-name-currency
  test.each<[string, string | Formatted, string[]]>([
    ['empty', '', []],
    ['a plain number', { value: '7', code: '#,##0' }, ['Only 2 of 3 lines name a currency (€, first on line 2)']],
  ])('is found in number formats if the third amount is %s', async (_name, third, told) => {
    const amount = { value: '50000', code: '#,##0.00 [$€-407]' };
    const rows = [
      ['A', amount],
      ['B', amount],
      ['C', third],
    ];
    const found = await readWorkbook((path) => writeFormatted(path, ['name', 'requested_limit'], rows));
    expect(some(found)).toEqual(told.map((words) => [0, expect.stringContaining(words)]));
  });
});

describe('an amount in thousands or millions', () => {
  // Promise: thousands-refused
  test.each([
    ['Währung', 'TEUR'],
    ['Währung', 'kEUR'],
    ['ccy', 'TUSD'],
    ['ccy', 'T€'],
    ['ccy', 'in TEUR'],
    ['WAERS', "EUR'000"],
    ['WAERS', 'Tsd.'],
    ['Einheit', 'TEUR'],
    ['Betragseinheit', 'Mio. EUR'],
    ['Unit', '1000'],
    ['Currency unit', 'T€'],
  ])('makes its line invalid, if the column %s says %s', async (header, word) => {
    const { invalid, warnings } = await wrong(`name;requested_limit;${header}\nA;150;${word}\nB;75;EUR\n`);
    expect(invalid).toEqual([[2, expect.stringMatching(/^\S.*: The amount is written in thousands or millions \(/)]]);
    expect(warnings.filter(({ column }) => column === header)).toEqual([]);
  });

  test("is a problem of the file if the mapping's currency says so", async () => {
    const mapping = { columns: {}, constants: { currency: 'TEUR' } };
    const { problems } = await wrong('name;requested_limit\nA;1\n', { mapping });
    expect(problems).toMatchObject([{ column: 'currency', message: expect.stringContaining('in thousands') }]);
  });

  test.each<[string, Parameters<typeof read>[1]]>([
    ['name;requested_limit;Einheit\nA;150;Stück\nB;75;\n', {}],
    ['name;requested_limit;Community\nA;150;TEUR\n', {}],
    ['name;requested_limit;Einheit\nA;150;TEUR\n', { mapping: { columns: { Einheit: null }, constants: {} } }],
  ])('is not suspected in %j', async (content, options) => {
    expect((await wrong(content, options)).invalid).toEqual([]);
  });
});
