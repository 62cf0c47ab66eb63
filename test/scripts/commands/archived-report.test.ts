import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';

/** A finished portfolio that is archived, the report from before its archiving, and a portfolio that is open. */
async function openArchived() {
  const desk = await openDesk(2);
  expect((await desk.limitline('run', 'q4.csv', '--no-results')).status).toBe(0);
  await desk.limitline('report', 'q4', '--format', 'csv', '--out', 'before.csv');
  await desk.limitline('import', 'q4.csv', '--portfolio', 'other', '--yes');
  const { archived, folder } = await desk.json('archive', 'q4', '--yes');
  expect(archived).toBe(true);
  return { ...desk, folder: folder as string };
}

// Promise: archived-results-compared
test('report works for an archived portfolio, and its results file is the same to the byte', async () => {
  const { limitline, json, read, cwd, folder } = await openArchived();
  const { status, stdout } = await limitline('report', 'q4');
  expect(status).toBe(0);
  expect(stdout).toContain('2 done; finished ');
  expect(stdout).toContain('requested 2,004.00, granted 2,004.00');
  expect(stdout).toContain('npx limitline restore q4');
  expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes(folder))).toEqual([]);
  expect(await json('report', 'q4')).toMatchObject({
    portfolio: 'q4',
    standing: 'archived',
    rows: 2,
    states: { done: 2 },
    requested: '2004.00',
    granted: '2004.00',
    folder,
  });
  await limitline('report', 'q4', '--format', 'csv', '--out', 'after.csv');
  expect(await read('after.csv')).toBe(await read('before.csv'));
  expect((await limitline('report', 'q4', '--format', 'csv')).stdout).toBe(await read('before.csv'));

  const others = [['--format', 'errors-csv'], ['--format', 'xlsx', '--out', 'q4.xlsx'], ['--causes']];
  for (const options of others) {
    const refused = await limitline('report', 'q4', ...options);
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('restore "q4"') });
  }
  // A changed archive is not reported, and no file is left half written.
  const results = join(folder, 'results.csv.gz');
  const content = await readFile(results);
  await writeFile(results, Buffer.concat([content.subarray(0, -6), Buffer.from([1, 2, 3, 4, 5, 6])]));
  const changed = await limitline('report', 'q4', '--format', 'csv', '--out', join(cwd, 'after.csv'));
  expect(changed).toMatchObject({ status: 1, stderr: expect.stringContaining('is no longer what Limitline wrote') });
  expect(await read('after.csv')).toBe(await read('before.csv'));
  expect((await limitline('report', 'q4', '--format', 'csv')).stdout).toBe('');
});

// Promise: archived-are-listed
test('portfolios prints how many are archived, and --all lists them with their folders', async () => {
  const { limitline, json, folder } = await openArchived();
  const { stdout } = await limitline('portfolios');
  expect(stdout).toMatch(/^other .*\n1 more is archived or forgotten: npx limitline portfolios --all\n$/s);
  expect(stdout).not.toContain('q4 ');
  expect((await limitline('restore', 'Q4')).stderr).toContain('known are: other; archived or forgotten are: q4.');
  const all = await limitline('portfolios', '--all');
  expect(all.stdout).toMatch(/^other [\s\S]*\nq4 +archived \d{4}-\d\d-\d\d \d\d:\d\dZ by /);
  expect(all.stdout).toContain(folder);
  expect((await json('portfolios')).archived).toBeUndefined();
  const listed = await json('portfolios', '--all');
  expect(listed.portfolios).toHaveLength(1);
  expect(listed.archived).toEqual([
    expect.objectContaining({ portfolio: 'q4', standing: 'archived', rows: 2, requested: '2004.00', folder }),
  ]);
  expect(all.stdout).toMatch(/ 2 done; .*; files of \d+ kB\n +requested 2,004\.00, granted 2,004\.00\n/);
});
