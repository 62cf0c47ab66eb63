import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { writeDraft } from '../../src/files/disk.ts';
import { markOfProcess } from '../../src/files/process-mark.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const CONTENT = 'name,limit\nAcme,1\n';
const write = (to: Writable) => pipeline([CONTENT], to);

async function makeDraft() {
  const { dir, write: put } = await makeTemporaryFolder();
  const draft = await writeDraft({ dir, name: 'a.csv', mode: 0o600, write });
  return { dir, put, draft, target: join(dir, 'a.csv') };
}

test('a draft has its content, mode and checksum under a hidden name', async () => {
  const { dir, draft } = await makeDraft();
  expect(await readFile(draft.path, 'utf8')).toBe(CONTENT);
  expect(draft.sha256).toBe(createHash('sha256').update(CONTENT).digest('hex'));
  expect((await stat(draft.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual([expect.stringMatching(/^\.a\.csv\..*\.part$/)]);
  await draft.drop();
  expect(await readdir(dir)).toEqual([]);
});

test('a draft takes a free name', async () => {
  const { dir, draft, target } = await makeDraft();
  expect(await draft.putInPlace(target, false)).toBe(true);
  expect(await readdir(dir)).toEqual(['a.csv']);
});

test('a draft replaces an existing file only on request', async () => {
  const { dir, put, draft, target } = await makeDraft();
  await put('a.csv', 'of somebody');
  expect(await draft.putInPlace(target, false)).toBe(false);
  expect(await readFile(target, 'utf8')).toBe('of somebody');
  expect(await draft.putInPlace(target, true)).toBe(true);
  expect(await readFile(target, 'utf8')).toBe(CONTENT);
  expect(await readdir(dir)).toEqual(['a.csv']);
});

test('a draft that cannot be written or put in place is an error that names the file', async () => {
  const { dir, draft, target } = await makeDraft();
  await mkdir(target);
  await expect(draft.putInPlace(target, true)).rejects.toMatchObject({
    code: 'FILE',
    message: `${target} cannot be written: it is a folder; name a file in it.`,
  });
  await draft.drop();
  await rm(dir, { recursive: true });
  await expect(writeDraft({ dir, name: 'a.csv', write })).rejects.toMatchObject({
    code: 'FILE',
    message: `${target} cannot be written: there is no such folder; make it, or name another.`,
  });
});

test('a draft whose writing fails is deleted, and the original error is thrown', async () => {
  const { dir } = await makeTemporaryFolder();
  const failing = async () => {
    throw new Error('the ledger is gone');
  };
  await expect(writeDraft({ dir, name: 'a.csv', write: failing })).rejects.toThrow('the ledger is gone');
  expect(await readdir(dir)).toEqual([]);
});

test('drafts that killed processes left under this name are deleted, and no others', async () => {
  const { dir, write: put } = await makeTemporaryFolder();
  const [pid, place] = markOfProcess().split('-');
  const gone = `${pid}-${place}-00000000`;
  const kept = [
    `.b.csv.${gone}.part`,
    `.aXcsv.${gone}.part`,
    `.a.csv.${gone}.part.bak`,
    `.a.csv.1-00000000-00000000.part`,
  ];
  for (const name of [`.a.csv.${gone}.part`, ...kept]) await put(name, 'x');
  const draft = await writeDraft({ dir, name: 'a.csv', write });
  await draft.drop();
  expect((await readdir(dir)).sort()).toEqual(kept.sort());
});
