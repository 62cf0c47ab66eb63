import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { likeness, normal } from '../../../src/likeness.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Pairs of combining marks in reverse order: Unicode normalisation sorts them one by one. */
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
])('a cell of %s with more than 32,767 characters or 30 accents on a letter is a problem', async (column, row) => {
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
});

test('a cell of another column may be of any length', async () => {
  const [line] = await linesOf(`Acme,DE,HRB 1,5,,a${marks(391_000)}`);
  expect(line?.kind).toBe('row');
  expect(likeness(`a${marks(391_000)}`)).toBe('a');
});

test("normal keeps at most 30 marks in a row, and is Unicode's NFC otherwise", () => {
  expect(normal(`a${marks(400_000)}`)).toHaveLength(30);
  for (const text of ['Müller', 'Mu\u0308ller', `a${marks(30)}`, '株式会社', ''])
    expect(normal(text)).toBe(text.normalize('NFC'));
});
