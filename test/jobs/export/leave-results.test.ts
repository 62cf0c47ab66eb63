import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leaveResults } from '../../../jobs/export/leave-results.ts';
import { makeLeftFiles } from '../../../src/files/left-files.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** An imported portfolio with a good and an invalid line. No worker runs. */
async function openImported(lines = ['name;requested_limit', 'Tin;1', ';2']) {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o640 });
  await place.importFile(path);
  const { account, rows, portfolios, statusMeanings, imports, leftFiles } = place.context;
  const deps = { account, rows, portfolios, statusMeanings, imports, leftFiles, signal: new AbortController().signal };
  const at = (name: string) => join(place.dir, name);
  return {
    ...place,
    path,
    at,
    names: async () =>
      (await readdir(place.dir)).filter((name) => name !== '.limitline' && name !== '.data-home').sort(),
    leave: (
      wish: { path?: string | null; dir?: string; mending?: boolean; account?: string; portfolio?: string } = {},
    ) =>
      leaveResults({ portfolio: 'q4', path, ...wish }, wish.mending ?? true, {
        ...deps,
        account: wish.account ?? account,
      }),
  };
}

// Promises: files-have-input-delimiter, run-leaves-results
test('results are written beside the file with its delimiter and permissions, without drafts', async () => {
  const { leave, names, at } = await openImported();
  expect(await leave()).toMatchObject({
    results: at('q4.results.csv'),
    errors: at('q4.errors.csv'),
    fault: null,
    taken: [],
    removed: [],
  });
  expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results.csv']);
  expect(await readFile(at('q4.results.csv'), 'utf8')).toMatch(/^name;requested_limit;.*state;.*\nTin;1;.*\n;2;/s);
  expect(await readFile(at('q4.errors.csv'), 'utf8')).toMatch(/^name;requested_limit;.*\n;2;/s);
  expect((await stat(at('q4.results.csv'))).mode & 0o077).toBe(0o040 & ~process.umask());
});

test('earlier results are replaced, and the errors file is removed when nothing is left to correct', async () => {
  const { leave, names, at } = await openImported();
  await leave();
  expect(await leave({ mending: false })).toMatchObject({ errors: null, removed: [at('q4.errors.csv')], taken: [] });
  expect(await names()).toEqual(['q4.csv', 'q4.results.csv']);
});

describe('a file that somebody else wrote or changed is neither replaced nor removed', () => {
  test.each<[string, (path: string) => Promise<unknown>]>([
    ['a file that was there before', (path) => writeFile(path, 'mine')],
    ['a link', (path) => symlink('/dev/null', path)],
    ['a folder', (path) => mkdir(path)],
  ])('%s', async (_name, make) => {
    const { leave, names, at } = await openImported();
    await make(at('q4.results.csv'));
    expect(await leave()).toMatchObject({ results: at('q4.results-2.csv'), taken: [at('q4.results.csv')] });
    expect(await leave()).toMatchObject({ results: at('q4.results-2.csv') });
    expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results-2.csv', 'q4.results.csv']);
    expect(await readFile(at('q4.results.csv'), 'utf8').catch(() => 'mine')).not.toContain('Tin');
  });

  // Promise: mended-file-not-replaced
  test('an errors file that was changed stays, and the next gets a number', async () => {
    const { leave, names, at } = await openImported();
    await leave();
    await appendFile(at('q4.errors.csv'), 'Zinc;3');
    expect(await leave()).toMatchObject({ errors: at('q4.errors-2.csv'), taken: [at('q4.errors.csv')] });
    expect(await leave({ mending: false })).toMatchObject({
      errors: null,
      removed: [at('q4.errors-2.csv')],
      kept: [at('q4.errors.csv')],
    });
    expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results.csv']);
  });

  // Promise: mended-file-not-replaced
  test('a numbered file is removed once its first name is free again, unless somebody changed it', async () => {
    const { leave, names, at } = await openImported();
    for (const name of ['q4.results.csv', 'q4.errors.csv']) await writeFile(at(name), 'mine');
    expect(await leave()).toMatchObject({
      results: at('q4.results-2.csv'),
      errors: at('q4.errors-2.csv'),
      outdated: [],
    });
    for (const name of ['q4.results.csv', 'q4.errors.csv']) await rm(at(name));
    expect(await leave()).toMatchObject({
      results: at('q4.results.csv'),
      errors: at('q4.errors.csv'),
      taken: [],
      removed: [],
      outdated: [at('q4.results-2.csv'), at('q4.errors-2.csv')],
    });
    expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results.csv']);
    for (const name of ['q4.results.csv', 'q4.errors.csv']) await appendFile(at(name), 'mended');
    await leave();
    for (const name of ['q4.results-2.csv', 'q4.errors-2.csv']) await appendFile(at(name), 'mended');
    for (const name of ['q4.results.csv', 'q4.errors.csv']) await rm(at(name));
    expect(await leave({ mending: false })).toMatchObject({ outdated: [], removed: [], kept: [at('q4.errors-2.csv')] });
    expect(await names()).toEqual(['q4.csv', 'q4.errors-2.csv', 'q4.results-2.csv', 'q4.results.csv']);
  });

  test('a numbered errors file is removed when nothing is left to correct, even if the first is gone', async () => {
    const { leave, names, at } = await openImported();
    await writeFile(at('q4.errors.csv'), 'mine');
    await leave();
    await rm(at('q4.errors.csv'));
    expect(await leave({ mending: false })).toMatchObject({ errors: null, removed: [at('q4.errors-2.csv')], kept: [] });
    expect(await names()).toEqual(['q4.csv', 'q4.results.csv']);
  });

  test("results of another account keep their numbered name, even if they are the stand-in's", async () => {
    const { leave, names, at } = await openImported();
    await writeFile(at('q4.results.csv'), 'mine');
    expect((await leave()).results).toBe(at('q4.results-2.csv'));
    await rm(at('q4.results.csv'));
    expect(await leave({ account: 'live' })).toMatchObject({ results: at('q4.results.csv'), outdated: [] });
    expect(await names()).toContain('q4.results-2.csv');
  });

  // Promise: mended-file-not-replaced
  test("results of another account stay, unless they are the stand-in's", async () => {
    const { leave, at } = await openImported();
    expect((await leave({ account: 'stand-in' })).results).toBe(at('q4.results.csv'));
    expect((await leave({ account: 'live' })).results).toBe(at('q4.results.csv'));
    expect((await leave()).results).toBe(at('q4.results-2.csv'));
    expect((await leave({ account: 'live' })).results).toBe(at('q4.results.csv'));
  });

  // Promise: mended-file-not-replaced
  test('two portfolios of one file each keep their own results and errors file', async () => {
    const { leave, names, at, importFile } = await openImported();
    await importFile(at('q4.csv'), {}, { portfolio: 'q5' });
    await leave({ account: 'stand-in' });
    const other = await leave({ account: 'stand-in', portfolio: 'q5' });
    expect(other).toMatchObject({ results: at('q4.results-2.csv'), errors: at('q4.errors-2.csv') });
    const mended = await leave({ account: 'stand-in', portfolio: 'q5', mending: false });
    expect(mended).toMatchObject({ results: at('q4.results-2.csv'), removed: [at('q4.errors-2.csv')] });
    expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results-2.csv', 'q4.results.csv']);
  });
});

test("results of a piped file have the portfolio's name, and are written into the given folder", async () => {
  const { leave, dir, at } = await openImported();
  await mkdir(at('out'));
  expect(await leave({ path: null, dir: join(dir, 'out') })).toMatchObject({ results: at('out/q4.results.csv') });
  expect((await stat(at('out/q4.results.csv'))).mode & 0o077).toBe(0);
});

test.each([
  ['buyers.csv', 'buyers.results.csv'],
  ['Buyers.CSV', 'Buyers.results.csv'],
  ['buyers.xlsx', 'buyers.xlsx.results.csv'],
  ['buyers.txt', 'buyers.txt.results.csv'],
  ['buyers', 'buyers.results.csv'],
  ['buyers.errors.csv', 'buyers.errors.results.csv'],
])('the results of %s are called %s', async (name, results) => {
  const { leave, at } = await openImported();
  expect((await leave({ path: at(name) })).results).toBe(at(results));
});

test('a corrected errors file leaves its results under the name of the first file', async () => {
  const { leave, at } = await openImported();
  await leave();
  await appendFile(at('q4.errors.csv'), 'Zinc;3');
  expect(await leave({ path: at('q4.errors.csv') })).toMatchObject({
    results: at('q4.results.csv'),
    errors: at('q4.errors-2.csv'),
  });
});

// Promise: results-not-written-is-said
test.each<[string, (dir: string) => Promise<unknown>, string]>([
  ['is missing', (dir) => rm(dir, { recursive: true }), 'no such folder'],
  ['is no folder', (dir) => rm(dir, { recursive: true }).then(() => writeFile(dir, '')), 'no such folder'],
])('a results folder that %s is reported as a fault', async (_name, spoil, words) => {
  const { leave, at } = await openImported();
  await mkdir(at('out'));
  await spoil(at('out'));
  expect(await leave({ dir: at('out') })).toMatchObject({
    results: null,
    errors: null,
    fault: expect.stringContaining(words),
  });
});

test.skipIf(process.getuid?.() === 0)('a results folder without write permission is reported as a fault', async () => {
  const { leave, at } = await openImported();
  await mkdir(at('out'));
  await chmod(at('out'), 0o500);
  expect(await leave({ dir: at('out') })).toMatchObject({ results: null, fault: expect.stringContaining('may not') });
});

test('drafts of a killed run are removed, and a file without a record has no known owner', async () => {
  const { leave, names, at, dir } = await openImported();
  await writeFile(at('.q4.results.csv.99999999-00000000-00000000.part'), 'half');
  await writeFile(at('.q4.results.csv.part'), 'not ours');
  await leave();
  expect(await names()).toContain('.q4.results.csv.part');
  const memory = join(dir, 'memory');
  const leftFiles = makeLeftFiles({ dir: memory, trialAccount: 'stand-in' });
  expect(await leftFiles.whose(at('q4.results.csv'))).toBeUndefined();
});
