import { expect, test } from 'vitest';
import { read } from '../../support/workbooks.ts';

/** The problems of a file, and which of its lines are rows. */
async function told(content: string, columns?: Record<string, 'currency' | null>) {
  const { problems, lines } = await read(content, columns && { mapping: { columns, constants: {} } });
  return {
    problems: problems.map(({ column, message }) => `${column}: ${message}`),
    kinds: lines.map(({ kind }) => kind),
  };
}

// Promises: one-currency-a-file, unclear-column-is-a-fault
test('an unknown column with several currencies is a problem of the file, and either --map of the problem corrects it', async () => {
  const content = 'Name;Limit;Abrechnung in\nA;1;EUR\nB;2;\nC;3;USD\n';
  const { problems, kinds } = await told(content);
  expect(problems).toEqual([
    expect.stringMatching(
      /^Abrechnung in: .*, such as EUR and USD\. .*"Abrechnung in=currency"; .*"Abrechnung in="\.$/,
    ),
  ]);
  expect(kinds).toEqual([]);
  expect((await told(content, { 'Abrechnung in': 'currency' })).kinds).toEqual(['row', 'row', 'invalid']);
  expect((await told(content, { 'Abrechnung in': null })).kinds).toEqual(['row', 'row', 'row']);
});

test.each([
  ['one currency', 'Name;Limit;Art\nA;1;EUR\nB;2;€\n'],
  ['other words', 'Name;Limit;Art\nA;1;EUR\nB;2;USD\nC;3;neu\n'],
  ['several currencies beside that of the amounts', 'Name;Limit;Currency;Invoices in\nA;1;EUR;USD\nB;2;EUR;EUR\n'],
  ['no lines', 'Name;Limit;Art\n'],
])('a column is no problem with %s', async (_what, content) => {
  expect((await told(content)).problems).toEqual([]);
});

// Promise: one-currency-a-file
test.each(['Credit Limit Currency', 'Limit Curr.', 'Limitwährung', 'Währung Kreditlimit', 'Devise limite'])(
  'a column for the currency of the limit is the currency: %s',
  async (column) => {
    const { lines } = await read(`Name;Limit;${column}\nA;1;EUR\nB;2;USD\n`);
    expect(lines).toMatchObject([{ kind: 'row' }, { kind: 'invalid', problems: [{ line: 3, column }] }]);
  },
);

test.each(['Curr. Limit', 'Curr Credit Limit'])('the limit of today is no currency: %s', async (column) => {
  const { lines } = await read(`Name;${column};New limit\nA;1;3\nB;2;4\n`);
  expect(lines).toMatchObject(
    [3, 4].map((limit) => ({ kind: 'row', row: { limit: { requested_limit: `${limit}` } } })),
  );
});

// Promises: one-currency-a-file, unclear-column-is-a-fault
test('two columns that may be the currency of the amounts are a problem of the file where they differ', async () => {
  const head = 'Name;Limit;Währung;Limitwährung\n';
  const content = `${head}A;1;EUR;€\nB;2;EUR;USD\n`;
  const { problems, kinds } = await told(content);
  expect(problems).toEqual([
    expect.stringMatching(
      /^Limitwährung: Währung and Limitwährung name different currencies, in line 3 first\. .*"Limitwährung="; .*"Limitwährung=currency" --map "Währung="\.$/,
    ),
  ]);
  expect(kinds).toEqual([]);
  expect((await told(content, { Limitwährung: null })).kinds).toEqual(['row', 'row']);
  expect((await told(content, { Limitwährung: 'currency', Währung: null })).kinds).toEqual(['row', 'invalid']);
  expect((await told(`${head}A;1;EUR;€\nB;2;EUR;\n`)).kinds).toEqual(['row', 'row']);
});

// Promise: one-currency-a-file
test('of two columns that may be the currency of the amounts, a far line where they differ is a problem', async () => {
  const before = Array.from({ length: 50 }, (_none, n) => `A${n};1;EUR;EUR\n`).join('');
  const lines = (last: string) => `Name;Limit;Währung;Limitwährung\n${before}${last}\n`;
  const { kinds } = await told(lines('B;2;EUR;USD'));
  expect(kinds.slice(-2)).toEqual(['row', 'invalid']);
  expect((await told(lines('B;2;EUR;USD ?'))).kinds.at(-1)).toBe('invalid');
  expect((await told(lines('B;2;EUR;USD'), { Limitwährung: null })).kinds.at(-1)).toBe('row');
  for (const last of ['B;2;EUR;€', 'B;2;EUR;', 'B;2;EUR;neu'])
    expect((await told(lines(last))).kinds.at(-1)).toBe('row');
  const own = 'Name;Limit;Währung;Limitwährung\nA;1;LCY;EUR\nB;1;LCY;USD\n';
  expect((await told(own)).kinds).toEqual(['row', 'row']);
});
