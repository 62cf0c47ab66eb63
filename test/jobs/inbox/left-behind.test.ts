import { appendFile, cp, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { moveOver } from '../../../jobs/inbox/drop-folder.ts';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { makeTakenFolder } from '../../../jobs/inbox/taken-folder.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { openInbox } from '../../support/inbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { buyerLines } from '../../support/workplace.ts';

const GOOD = `${buyerLines(2).join('\n')}\n`;
const ID = '20261122T013000Z-q4';

/** The remains of a killed process in `.taken`, and what the test needs beside them. */
async function leftBehind(names: readonly string[], given: Record<string, string> = {}) {
  const opened = await openInbox();
  const deps = await opened.round();
  await deps.taken.entries();
  const [account = ''] = (await readdir(join(opened.inbox, '.taken'))).filter((name) => name !== 'folder-id');
  for (const name of names) await opened.drop(join('.taken', account, ID, name), given[name] ?? GOOD);
  return { ...opened, deps, left: () => readdir(join(opened.inbox, '.taken', account)) };
}

test('a file of which Redis knows nothing is imported under its original name', async () => {
  const { deps, names, context, left } = await leftBehind(['file.csv', '.problems.csv.1-00000000-00000000.part']);
  expect((await takeInRound(deps)).files).toMatchObject([{ is: 'imported', portfolio: 'q4', name: 'q4.csv' }]);
  expect([await names('done'), await left()]).toEqual([['<time>-q4.csv'], []]);
  expect(await context.portfolios.names()).toEqual(['q4']);
});

test('remains of a file that was already moved follow it to its folder', async () => {
  for (const where of ['done', 'rejected']) {
    const { deps, drop, names, left } = await leftBehind(['problems.txt', 'documents/a.pdf']);
    await drop(join(where, `${ID}.csv`), GOOD);
    expect((await takeInRound(deps)).files).toEqual([]);
    expect(await names(where)).toEqual(['<time>-q4', '<time>-q4.csv', '<time>-q4.problems.txt']);
    expect(await left()).toEqual([]);
  }
});

test('a file taken by a process of another account is left to it', async () => {
  const { inbox, source, deps, names } = await leftBehind(['file.csv']);
  const taken = makeTakenFolder(deps.drop, 'https://other.example');
  expect((await takeInRound({ ...deps, ...source, account: 'https://other.example', taken })).files).toEqual([]);
  expect(await names('done')).toEqual([]);
  expect(await readdir(join(inbox, '.taken'))).toHaveLength(3);
});

test('a file that grows while it is read is read again completely', async () => {
  const { drop, round, context } = await openInbox();
  await drop('q4.csv', GOOD);
  const deps = await round();
  const late = async (doc: Parameters<typeof deps.imports.put>[0]) => {
    const sha256 = await deps.imports.put(doc);
    await appendFile(doc.path, 'Late GmbH,DE,HRB 77,5000\n');
    return sha256;
  };
  const first = await takeInRound({ ...deps, imports: { ...deps.imports, put: late } });
  expect(first).toMatchObject({
    files: [],
    lying: [{ name: 'q4.csv', why: expect.stringMatching(/changed while it was read/) }],
  });
  expect((await takeInRound(deps)).files).toMatchObject([{ is: 'imported', found: { lines: 3, rows: 3 } }]);
  expect(await context.portfolios.read('q4')).toMatchObject({ states: { queued: 3 } });
});

test('a file with a time years ahead or behind is imported like any other', async () => {
  const { drop, takeIn } = await openInbox();
  for (const [at, year] of ['1970', '2099'].entries()) {
    const time = new Date(`${year}-01-02`);
    await utimes(await drop(`q${at}.csv`, GOOD.replaceAll('HRB', `HRB ${at}`)), time, time);
  }
  expect((await takeIn()).files.map(({ is }) => is)).toEqual(['imported', 'imported']);
});

// Promise: given-up-stays-given-up
test('a half-finished import is not resumed after its portfolio was cancelled', async () => {
  const { drop, round, context, names, read } = await openInbox();
  await drop('q4.csv', GOOD);
  const deps = await round();
  const noRoom = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const breaksOff: typeof deps.audit.around = async (note, act, factsOf) => {
    await deps.audit.around(note, act, factsOf);
    throw noRoom;
  };
  await takeInRound({ ...deps, audit: { ...deps.audit, around: breaksOff } });
  expect(await context.portfolios.read('q4')).toMatchObject({ states: { queued: 2 } });
  await cancelRows({ portfolio: 'q4' }, context);
  expect((await takeInRound(await round())).files).toMatchObject([{ is: 'rejected' }]);
  expect(await context.portfolios.read('q4')).toMatchObject({ states: { queued: 0, cancelled: 2 } });
  expect(await read('rejected', 'q4.problems.txt')).toContain('was given up after q4.csv was taken');
  await drop('q4.csv', GOOD);
  expect((await takeInRound(await round())).files, 'dropped again, it is meant').toMatchObject([{ is: 'imported' }]);
  expect(await names('done')).toEqual(['<time>-q4.csv']);
});

/** A memory file system, which is another device than the disk on most machines. */
const MEMORY = '/dev/shm';
const isOtherDisk = await stat(MEMORY).then(
  async ({ dev }) => dev !== (await stat(tmpdir())).dev,
  () => false,
);

test.skipIf(!isOtherDisk)('a file is moved to another disk completely, even after a kill halfway', async () => {
  const { dir, write } = await makeTemporaryFolder();
  const other = join(MEMORY, `limitline-test-${process.pid}-${Date.now()}`);
  await mkdir(other);
  onTestFinished(() => rm(other, { recursive: true, force: true }));
  await moveOver(await write('q4.csv', GOOD), join(other, 'q4.csv'));
  await write('q4/2026/a.pdf', 'a');
  // The process was killed while copying, and then before it removed the originals.
  await mkdir(join(other, '.q4.part'));
  await moveOver(join(dir, 'q4'), join(other, 'q4'));
  await cp(join(other, 'q4'), join(dir, 'q4'), { recursive: true });
  await moveOver(join(dir, 'q4'), join(other, 'q4'));
  await moveOver(join(dir, 'gone.csv'), join(other, 'gone.csv'));
  expect((await readdir(other, { recursive: true })).sort()).toEqual(['q4', 'q4.csv', 'q4/2026', 'q4/2026/a.pdf']);
  expect(await readdir(dir)).toEqual([]);
});

test('documents follow a rejected file even if the rejecting process was killed before moving them', async () => {
  const { drop, round, names } = await openInbox();
  await drop('q4.csv', 'name\nA\n');
  await drop('q4/a.pdf', 'x');
  await drop('q4.zip', 'x');
  const deps = await round();
  const killed = { ...deps.taken, takeBeside: () => Promise.reject(new Error('killed')) };
  await expect(takeInRound({ ...deps, taken: killed })).rejects.toThrow('killed');
  await takeInRound(await round());
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect(await names('rejected')).toEqual(['<time>-q4', '<time>-q4.csv', '<time>-q4.problems.txt', '<time>-q4.zip']);
});
