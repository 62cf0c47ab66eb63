import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeProblemList, problemText } from '../../../scripts/file/problems.ts';
import { callCommand } from '../../support/command.ts';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

test.each([
  [{ line: 7, column: 'name', value: 'x', message: 'bad' }, 'line 7, name "x": bad'],
  [{ line: 7, column: 'name', value: '', message: 'needed' }, 'line 7, name: needed'],
  [{ line: 7, column: null, value: null, message: 'ragged' }, 'line 7: ragged'],
  [{ line: 7, column: null, value: 'a\nb', message: 'odd' }, 'line 7 "a\\nb": odd'],
  [{ line: 0, column: null, value: null, message: 'empty' }, 'file: empty'],
  [{ line: 0, column: 'name', value: null, message: 'few' }, 'file, name: few'],
])('the problem %o is printed as %s', (problem, text) => {
  expect(problemText(problem)).toBe(text);
});

test('a list of problems prints and keeps the first thousand, mentions that there are more, and counts all', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const problems = Array.from({ length: 1_500 }, (_none, n) => ({
    line: n + 2,
    column: null,
    value: null,
    message: 'bad',
  }));
  list.add({ problems, warnings: problems.slice(0, 1) });
  expect(list.counts).toEqual({ problems: 1_500, warnings: 1, changed: 0 });
  expect(list.problems).toHaveLength(1_000);
  expect(written).toHaveLength(1_002);
  expect(written[1_001]).toContain('more than 1000 problems');
  expect(written[1]).toBe('line 2: bad (a warning)');
});

test('a list without a limit prints every problem, and keeps only as many as requested in memory', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text), { printed: Number.POSITIVE_INFINITY, kept: 2 });
  const problems = Array.from({ length: 1_500 }, (_none, n) => ({
    line: n,
    column: null,
    value: null,
    message: 'bad',
  }));
  list.add({ problems });
  expect(written).toHaveLength(1_500);
  expect(list.problems).toEqual(problems.slice(0, 2));
});

// Promise: check-names-every-problem
test('check reports every problem of a file that has thousands', async () => {
  const cwd = await makeFolder();
  const lines = Array.from({ length: 1_500 }, (_none, n) => `Buyer ${n},0,ftp://x`);
  await writeFile(join(cwd, 'x.csv'), ['name,requested_limit,website', ...lines, ''].join('\n'));
  const { stdout } = await callCommand(['check', 'x.csv'], { cwd });
  expect(stdout.match(/^line \d+, (?:requested_limit|website) "/gm)).toHaveLength(3_000);
  const { problems } = JSON.parse((await callCommand(['check', 'x.csv', '--json'], { cwd })).stdout);
  expect(problems).toHaveLength(3_000);
});

const cityOf = (line: number) => ({
  line,
  column: 'city',
  value: 'Bonn',
  message: `The city differs from "Town ${line}" of "A. B. ${line}" (line 2), which counts as the same buyer. If not, say so.`,
});

test('warnings that differ only in names and numbers are grouped after the first ten, and the list keeps each', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const other = { line: 9, column: 'name', value: null, message: 'The name is long.' };
  list.add({ warnings: [...Array.from({ length: 41 }, (_none, n) => cityOf(n + 2)), other] });
  expect(written.map((text) => text.slice(0, 20))).toContain('line 9, name: The na');
  expect(written).toHaveLength(11);
  list.sayAlike();
  expect(written.slice(11)).toEqual([
    'city: 31 more lines have the warning "The city differs from … of … (line …), which counts as the same buyer": 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 and 11 more; --json lists them.',
  ]);
  expect(list.warnings).toHaveLength(42);
});

test('a warning about a held request is not grouped with warnings about other states', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const other = (line: number, state: string) => ({
    line,
    column: 'requested_limit',
    value: null,
    message: `This buyer has another request, line ${line} of a.csv #1 in portfolio a (1,0${line}, ${state}): this is requested as well.`,
  });
  list.add({ warnings: Array.from({ length: 40 }, (_none, n) => other(n + 10, n === 35 ? 'held' : 'done')) });
  list.sayAlike();
  expect(written.filter((text) => text.includes('held'))).toEqual([expect.stringMatching(/^line 45, /)]);
  expect(written.at(-1)).toContain('29 more lines have the warning');
});

test('many warnings of one kind hide no other kind, and the count of unprinted lines is shown', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const small = { line: 3_002, column: 'requested_limit', value: '0.5', message: 'The limit is below 1.' };
  list.add({ warnings: [...Array.from({ length: 3_000 }, (_none, n) => cityOf(n + 2)), small] });
  list.sayAlike();
  expect(list.warnings).toContainEqual(small);
  expect(list.warnings).toHaveLength(1_001);
  expect(written.at(-1)).toMatch(/ and 2,970 more\.$/);
});

test('the output stays bounded with thousands of kinds of warnings', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const letters = (n: number) => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
  const warnings = Array.from({ length: 1_500 }, (_none, n) => ({ ...cityOf(n + 2), message: `Odd ${letters(n)}` }));
  list.add({ warnings });
  list.sayAlike();
  expect(written.length).toBeLessThan(1_100);
  expect(written.at(-1)).toMatch(/^\d+ more lines have the warning "…": /);
});

test('problems and warnings of a batch are printed in the order of lines', () => {
  const written: string[] = [];
  const bad = (line: number) => ({ line, column: null, value: null, message: 'bad' });
  makeProblemList((text) => written.push(text)).add({ problems: [bad(3), bad(5)], warnings: [bad(2), bad(3), bad(4)] });
  expect(written).toEqual([
    'line 2: bad (a warning)',
    'line 3: bad',
    'line 3: bad (a warning)',
    'line 4: bad (a warning)',
    'line 5: bad',
  ]);
});

// Promises: check-reads-supplier, unsent-supplier-columns-named
test('check validates the supplier file, reports its unsent columns, and counts its call', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), 'name,country_code,requested_limit\nA,DE,1000\nB,DE,2000\n');
  const check = async (supplier: string) => {
    await writeFile(join(cwd, 'us.csv'), supplier);
    return callCommand(['check', 'q4.csv', '--supplier', 'us.csv'], { cwd });
  };
  const { status, stdout } = await check('name,country_code,Fax\nNordwind GmbH,DE,1\n');
  expect(status).toBe(0);
  expect(stdout).toContain("The supplier is Nordwind GmbH.\nColumns of the supplier's file that are not sent: Fax.\n");
  expect(stdout).toContain('create 3 companies');
  // A supplier that is a buyer, too, or exists already, needs no further call.
  expect((await check('name,country_code\nA,DE\n')).stdout).toContain('create 2 companies');
  expect((await check('company_id\ncompany_1\n')).stdout).toContain('create 2 companies');
  const bad = await check('name,country_code\nNordwind GmbH,dex\n');
  expect(bad.status).toBe(2);
  expect(bad.stdout).toContain('file: The supplier in us.csv cannot be used. Line 2, country_code "dex"');
});

// Promise: control-total-stops-import
test('check compares all lines of a file with a control total', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), 'name,country_code,requested_limit\nA,DE,1000.10\nB,DE,2000\n');
  const check = (total: string) => callCommand(['check', 'q4.csv', '--total', total], { cwd });
  expect(await check('3000.10')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('The control total 3,000.10 agrees with the file.\n'),
  });
  const other = await check('3000');
  expect(other.status).toBe(2);
  expect(other.stdout).toContain('add up to 3,000.10, 0.10 more');
  expect(other.stdout).toContain('Nothing would be imported: the control total differs.');
  expect(other.stdout).not.toContain('An import would request');
  expect((await check('much')).status).toBe(1);
});

test('check and import report that a file without lines has nothing to import', async () => {
  const { cwd, limitline } = await openDesk(1);
  await writeFile(join(cwd, 'none.csv'), 'name,requested_limit\n');
  expect(await limitline('check', 'none.csv')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('none.csv: the file has a header and no line, so there is nothing to import; 0'),
  });
  const stdout = 'Nothing was imported: none.csv has a header and no line.\n';
  expect(await limitline('import', 'none.csv')).toMatchObject({ status: 0, stdout });
});
