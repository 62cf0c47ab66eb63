import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { likeness, normal } from '../../../src/likeness.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Marks of which each stands before the one that is to come first: what Unicode's own way sorts one by one. */
const marks = (count: number) => '\u0301\u0323'.repeat(count / 2);
const HEADER = 'name,country_code,company_registration_number,requested_limit,supporting_documents,note';

async function linesOf(...rows: string[]) {
  const path = join(await makeFolder(), 'q4.csv');
  await writeFile(path, `${[HEADER, ...rows].join('\n')}\n`);
  const opened = await openPortfolio({ path });
  const found = [];
  for await (const batch of opened.batches()) found.push(...batch);
  return found;
}

// Promise: cell-too-long
test.each([
  ['name', (text: string) => `${text},DE,HRB 1,5,,`],
  ['company_registration_number', (text: string) => `Acme,DE,${text},5,,`],
  ['supporting_documents', (text: string) => `Acme,DE,HRB 1,5,${text},`],
])(
  'a cell of %s is a problem where no sheet or no writing has such a one, and costs nobody his time',
  async (column, row) => {
    const [long, marked, both, fine] = await linesOf(
      row('x'.repeat(32_768)),
      row(`a${marks(32)}`),
      row(`a${marks(391_000)}`),
      row(`${'x'.repeat(column === 'supporting_documents' ? 0 : 60)}`.padEnd(1, ' ')),
    );
    const problem = (message: RegExp) => ({
      kind: 'invalid',
      problems: expect.arrayContaining([{ ...anyProblem, column, message: expect.stringMatching(message) }]),
    });
    const anyProblem = { line: expect.any(Number), value: expect.any(String) };
    expect(long).toMatchObject(problem(/^The cell has 32,768 characters, and a cell may have 32,767: shorten it\.$/));
    expect(marked).toMatchObject(problem(/^The cell has more than 30 accents on one letter/));
    expect(both).toMatchObject(problem(/^The cell has 391,001 characters/));
    expect(fine?.kind === 'invalid' && fine.problems.some((one) => /characters|accents/.test(one.message))).toBe(false);
  },
);

test('a cell that is not sent may be as long as it likes, and so may a header', async () => {
  const [line] = await linesOf(`Acme,DE,HRB 1,5,,a${marks(391_000)}`);
  expect(line?.kind).toBe('row');
  expect(likeness(`a${marks(391_000)}`)).toBe('a');
});

test('one spelling of a text has no run of more than 30 marks, and is Unicode’s own where there is none', () => {
  expect(normal(`a${marks(400_000)}`)).toHaveLength(30);
  for (const text of ['Müller', 'Mu\u0308ller', `a${marks(30)}`, '株式会社', ''])
    expect(normal(text)).toBe(text.normalize('NFC'));
});
