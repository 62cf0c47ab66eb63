import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { writeDraft } from '../../src/files/disk.ts';
import { makeLeftFiles } from '../../src/files/left-files.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const MINE = { account: 'live', portfolio: 'q4' };
const OTHER = { account: 'live', portfolio: 'q3' };
const TRIAL = { account: 'trial', portfolio: 'q3' };

async function makePlace() {
  const { dir, write } = await makeTemporaryFolder();
  const leftFiles = makeLeftFiles({ dir: join(dir, 'memory'), trialAccount: 'trial' });
  const names = (number: number) => join(dir, number === 1 ? 'a.csv' : `a.${number}.csv`);
  const draftOf = (content: string) =>
    writeDraft({ dir, name: 'a.csv', write: (to: Writable) => pipeline([content], to) });
  const leave = async (content: string, whose = MINE) => leftFiles.leave(await draftOf(content), names, whose);
  const files = async () => (await readdir(dir)).filter((name) => name.endsWith('.csv')).sort();
  const read = (number: number) => readFile(names(number), 'utf8');
  return { leftFiles, names, leave, files, read, write };
}

test('an unchanged results file is replaced', async () => {
  const { names, leave, files, read } = await makePlace();
  await leave('first');
  expect(await leave('second')).toEqual({ path: names(1), outdated: [] });
  expect([await files(), await read(1)]).toEqual([['a.csv'], 'second']);
});

test.each([
  ['of a person', async ({ write }: Place) => void (await write('a.csv', 'of a person'))],
  [
    'that a person changed',
    async ({ leave, write }: Place) => {
      await leave('first');
      await write('a.csv', 'first, and a note');
    },
  ],
  ['of another portfolio', async ({ leave }: Place) => void (await leave('theirs', OTHER))],
])('a file %s is left alone, and the next name is used', async (_what, prepare) => {
  const place = await makePlace();
  await prepare(place);
  const before = await place.read(1);
  expect(await place.leave('mine')).toEqual({ path: place.names(2), outdated: [] });
  expect([await place.read(1), await place.read(2)]).toEqual([before, 'mine']);
});

test('a file of the trial account is replaced by any portfolio', async () => {
  const { names, leave } = await makePlace();
  await leave('tried', TRIAL);
  expect((await leave('mine')).path).toBe(names(1));
});

test('a file under a later name is removed once the first name is free, if it is unchanged', async () => {
  const { names, leave, files, write } = await makePlace();
  await write('a.csv', 'of a person');
  await leave('old');
  await leave('older', OTHER);
  await rm(names(1));
  expect(await leave('new')).toEqual({ path: names(1), outdated: [names(2)] });
  expect(await files()).toEqual(['a.3.csv', 'a.csv']);
});

test('withdrawn results are removed under all names, also after gaps, and files of others are reported', async () => {
  const { leftFiles, names, leave, files, write } = await makePlace();
  await write('a.csv', 'of a person');
  await leave('mine');
  expect(await leftFiles.withdraw(names, MINE)).toEqual({ removed: [names(2)], kept: [names(1)] });
  expect(await files()).toEqual(['a.csv']);
  expect(await leftFiles.withdraw(names, MINE)).toEqual({ removed: [], kept: [names(1)] });
});

test('the portfolio of a results file is known by its record, and unknown for other files', async () => {
  const { leftFiles, names, leave } = await makePlace();
  await leave('mine');
  expect(await leftFiles.whose(names(1))).toMatchObject(MINE);
  expect(await leftFiles.whose(names(2))).toBeUndefined();
});

type Place = Awaited<ReturnType<typeof makePlace>>;
