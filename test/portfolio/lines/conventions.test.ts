import { describe, expect, test } from 'vitest';
import { openPortfolio, type PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** The amount of each line, or "problem". */
async function amounts(cells: string[], given: Partial<PortfolioFile> = {}) {
  const { write } = await makeTemporaryFolder();
  const lines = cells.map((cell, n) => `Buyer ${n};"${cell}"\n`).join('');
  const path = await write('a.csv', `name;requested_limit\n${lines}`);
  const found: string[] = [];
  for await (const batch of (await openPortfolio({ path, ...given })).batches()) {
    for (const line of batch) found.push(line.kind === 'row' ? line.row.limit.requested_limit : 'problem');
  }
  return found;
}

/** Enough cells for several batches and more than one read. */
const many = (cell: string) => Array.from({ length: 9_000 }, () => cell);

describe('amounts that may mean two values', () => {
  test.each([
    ['point', ['1.234', '1,234', '1234.5'], ['1.234', '1234', '1234.5']],
    ['comma', ['1.234', '1,234', '7,5'], ['1234', '1.234', '7.5']],
    ['comma, in a formula of a text', ['1.234', '=""1.234,50""'], ['1234', '1234.5']],
    ['comma, by thousands', ['1.234', '1.234.567'], ['1234', '1234567']],
    ['open', ['1.234', '500', '1 234'], ['problem', '500', '1234']],
    ['both', ['1.234', '1.5', '1,5'], ['problem', '1.5', '1.5']],
  ])('are read by the other amounts of the column: %s', async (_name, cells, read) => {
    expect(await amounts(cells)).toEqual(read);
  });

  test('are decided by a cell at the end of the file, from the first line on', async () => {
    const read = await amounts([...many('1.234'), '0,50']);
    expect(new Set(read)).toEqual(new Set(['1234', '0.5']));
  });

  test.each([
    ['.', ['1.234', 'problem']],
    [',', ['1234', '0.5']],
  ] as const)('are decided by --decimal for the whole column: %s', async (decimal, read) => {
    expect(await amounts(['1.234', '0,50'], { decimal })).toEqual(read);
  });
});

describe('dates whose day and month are ambiguous', () => {
  async function dates(cells: string[], given: Partial<PortfolioFile> = {}) {
    const { write } = await makeTemporaryFolder();
    const lines = cells.map((cell, n) => `Buyer ${n},1,${cell}\n`).join('');
    const path = await write('a.csv', `name,requested_limit,statements_dated\n${lines}`);
    const found: string[] = [];
    for await (const batch of (await openPortfolio({ path, ...given })).batches()) {
      for (const line of batch) found.push(line.kind === 'row' ? (line.changed[0]?.became ?? '') : 'problem');
    }
    return found;
  }

  test.each([
    ['day first', ['05/04/2025', '31/12/2024'], ['2025-04-05', '2024-12-31']],
    ['month first', ['05/04/2025', '12/31/2024'], ['2025-05-04', '2024-12-31']],
    ['open', ['05/04/2025', '06/06/2025'], ['problem', '2025-06-06']],
  ])('are read by the other dates of the column: %s', async (_name, cells, read) => {
    expect(await dates(cells)).toEqual(read);
  });

  test('are decided by --dates', async () => {
    expect(await dates(['05/04/2025'], { dates: 'mdy' })).toEqual(['2025-05-04']);
  });
});

test("decomposed letters and a spreadsheet's leading apostrophe are normalised, with a note", async () => {
  const { write } = await makeTemporaryFolder();
  const path = await write('a.csv', `name,requested_limit\n${'Müller'.normalize('NFD')},1\n'=Acme,2\n'Acme,3\n`);
  const opened = await openPortfolio({ path });
  for await (const batch of opened.batches()) {
    expect(batch.map((line) => line.kind === 'row' && line.row.name)).toEqual(['Müller', '=Acme', "'Acme"]);
    expect(batch.map((line) => line.changed.length)).toEqual([1, 1, 0]);
  }
});

test('the advice on a faulty amount uses the decimal separator of the column, also of later lines', async () => {
  const { write } = await makeTemporaryFolder();
  const path = await write('a.csv', 'name;requested_limit\nA;abc\nB;5 T€\nC;12e3\nD;7,50\n');
  const said: string[] = [];
  for await (const batch of (await openPortfolio({ path })).batches()) {
    for (const line of batch) if (line.kind === 'invalid') said.push(...line.problems.map(({ message }) => message));
  }
  expect(said).toHaveLength(3);
  for (const message of said) expect(message).toMatch(/like 1234,50/);
});

test.each([
  [
    'amounts',
    'name;requested_limit\nA;75.000\nB;50.000,00\nC;1.000,50\nD;25,000.00\n',
    'This may be 75000 or 75.000, and the amounts of the column that tell which disagree, 50.000,00 in line 3 and 25,000.00 in line 5: say --decimal comma or --decimal point.',
  ],
  [
    'dates',
    'name;requested_limit;statements_dated\nA;1;05/04/2025\nB;1;12/31/2024\nC;1;31/12/2024\n',
    'In 05/04/2025 the day or the month may come first, and the dates of the column that tell which disagree, 12/31/2024 in line 3 and 31/12/2024 in line 4: say --dates dmy or --dates mdy.',
  ],
])('if the decisive %s of a column disagree, the message cites one of each kind', async (_what, text, message) => {
  const { write } = await makeTemporaryFolder();
  const path = await write('a.csv', text);
  const opened = await openPortfolio({ path });
  const said: string[] = [];
  for await (const batch of opened.batches()) {
    for (const line of batch)
      if (line.kind === 'invalid') said.push(...line.problems.map((problem) => problem.message));
  }
  expect(said).toEqual([message]);
});

test('an amount with a question mark decides nothing, so no message cites it', async () => {
  const { write } = await makeTemporaryFolder();
  const path = await write('a.csv', 'name;requested_limit\nA;75.000\nB;1.234 ?\nC;25,000.00\n');
  for await (const batch of (await openPortfolio({ path })).batches()) {
    expect(batch[0]).toMatchObject({
      problems: [{ message: expect.stringContaining('no other amount of the column') }],
    });
  }
});
