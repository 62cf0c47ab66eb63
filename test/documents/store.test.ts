import { createHash } from 'node:crypto';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Document, makeDocumentFolder } from '../../src/documents/folder.ts';
import { makeDocumentStore, makeStoreLooks } from '../../src/documents/store.ts';
import { markOfProcess } from '../../src/files/process-mark.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { makeFolder } from '../support/workplace.ts';

const CONTENT = Buffer.alloc(300_000, 'balance sheet ');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

async function makeStore() {
  const { dir, write } = await makeTemporaryFolder();
  const path = await write('a.pdf', CONTENT);
  return { dir, write, path, store: makeDocumentStore({ dir: join(dir, 'store') }) };
}

function documentAt(path: string, sizeBytes = CONTENT.length): Document {
  return { name: basename(path), path, sizeBytes, mediaType: 'application/pdf' };
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('a document is stored as a copy under its content hash, readable only by this user', async () => {
  const { dir, path, store } = await makeStore();
  expect(await store.put(documentAt(path))).toBe(SHA256);
  const kept = store.open(SHA256);
  expect(kept.sizeBytes).toBe(CONTENT.length);
  expect((await readFile(kept.path)).equals(CONTENT)).toBe(true);
  expect((await stat(kept.path)).mode & 0o777).toBe(0o600);
  expect(await filesIn(join(dir, 'store'))).toEqual([SHA256]);
});

test('the same content under two names, stored concurrently, is stored once', async () => {
  const { dir, write, path, store } = await makeStore();
  const other = await write('b.pdf', CONTENT);
  const put = await Promise.all(Array.from({ length: 20 }, (_, n) => store.put(documentAt(n % 2 ? path : other))));
  expect(new Set(put)).toEqual(new Set([SHA256]));
  expect(await filesIn(join(dir, 'store'))).toEqual([SHA256]);
});

test('a stored document is not copied again unless the copy is gone', async () => {
  const { path, store } = await makeStore();
  await store.put(documentAt(path));
  const kept = store.open(SHA256).path;
  const { ino } = await stat(kept);
  await utimes(kept, 1, 1);
  await store.put(documentAt(path));
  expect((await stat(kept)).ino).toBe(ino);
  // The removal of unused documents depends on the time at which a document was last stored.
  expect((await stat(kept)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  await rm(kept);
  await store.put(documentAt(path));
  expect(store.open(SHA256).path).toBe(kept);
});

test.each([
  ['grew', (path: string) => appendFile(path, 'x')],
  ['shrank', (path: string) => truncate(path, 10)],
])('a file that %s since it was looked at is refused, and nothing is left behind', async (_, change) => {
  const { dir, path, store } = await makeStore();
  await change(path);
  await expect(store.put(documentAt(path))).rejects.toMatchObject({
    code: 'FILE',
    message: `${path} changed while it was read; leave it alone until it is read again.`,
  });
  expect(await filesIn(dir)).toEqual(['a.pdf']);
});

test('a file with more content than its size says is refused', async () => {
  const { dir, store } = await makeStore();
  // /proc/self/status reports the size zero and has content, like a file that grows while it is copied.
  await expect(store.put(documentAt('/proc/self/status', 0))).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringContaining('changed while it was read'),
  });
  expect(await filesIn(dir)).toEqual(['a.pdf']);
});

test('new content of a file that was stored before becomes another document', async () => {
  const { path, store } = await makeStore();
  await store.put(documentAt(path));
  await appendFile(path, 'x');
  const sha256 = await store.put(documentAt(path, CONTENT.length + 1));
  expect(sha256).not.toBe(SHA256);
  expect(store.open(sha256).sizeBytes).toBe(CONTENT.length + 1);
});

test('a document that cannot be read, copied or found is an error', async () => {
  const { dir, write, path, store } = await makeStore();
  await expect(store.put(documentAt(join(dir, 'none.pdf')))).rejects.toMatchObject({ code: 'FILE' });
  const blocked = makeDocumentStore({ dir: join(await write('file', ''), 'store') });
  await expect(blocked.put(documentAt(path))).rejects.toMatchObject({ code: 'FILE' });
  expect(() => store.open(SHA256)).toThrow(expect.objectContaining({ code: 'FILE' }));
  expect(() => store.open('../../a.pdf')).toThrow('No document ../../a.pdf is kept');
});

test('partial copies of killed processes are removed, and no other files', async () => {
  const { dir, write, path, store } = await makeStore();
  const uuid = '01234567-89ab-4cde-8f01-23456789abcd';
  const mark = markOfProcess();
  const [pid, place, start] = mark.split('-');
  const left = [`${pid}-${place}-00000000-${uuid}.part`, `4194305-${place}-${start}-${uuid}.part`, `${uuid}.part`];
  const kept = [`${mark}-${uuid}.part`, `1-00000000-00000000-${uuid}.part`, 'report.part', `${uuid}.pdf`];
  for (const name of [...left, ...kept]) await write(join('store', name), 'confidential');
  const longAgo = new Date(Date.now() - 86_400_000 - 60_000);
  for (const name of [`${uuid}.part`, 'report.part', `${uuid}.pdf`])
    await utimes(join(dir, 'store', name), longAgo, longAgo);
  await store.put(documentAt(path));
  expect((await filesIn(join(dir, 'store'))).sort()).toEqual([SHA256, ...kept].sort());
});

const signal = new AbortController().signal;

test('a copy is whole, damaged or missing, and the names of all copies are listed', async () => {
  const dir = await makeFolder();
  const looks = makeStoreLooks({ dir: join(dir, 'store') });
  // The folder may be missing.
  expect(await Array.fromAsync(looks.names())).toEqual([]);
  const path = join(dir, 'a.pdf');
  await writeFile(path, 'content');
  const kept = await makeDocumentStore({ dir: join(dir, 'store') }).put({
    name: 'a.pdf',
    path,
    sizeBytes: 7,
    mediaType: 'application/pdf',
  });
  const damaged = 'ab'.repeat(32);
  await mkdir(dirname(looks.pathOf(damaged)), { recursive: true });
  await writeFile(looks.pathOf(damaged), 'other');
  // A file that is no copy is left out.
  await writeFile(join(dir, 'store', 'ab', 'note.txt'), '');

  expect(await looks.check(kept, signal)).toBe('whole');
  expect(await looks.check(damaged, signal)).toBe('damaged');
  expect(await looks.check('cd'.repeat(32), signal)).toBe('missing');
  expect(await looks.check('../../a.pdf', signal)).toBe('missing');
  expect((await Array.fromAsync(looks.names())).flat().toSorted()).toEqual([kept, damaged].toSorted());
  expect(await looks.writtenMs(kept)).toBeGreaterThan(0);
  expect(await looks.writtenMs('cd'.repeat(32))).toBeUndefined();
  await expect(looks.check(kept, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});

// Promise: links-never-followed
test.each(['the document', 'its folder'])(
  'no link is followed that takes the place of %s after it was found',
  async (what) => {
    const { dir, write, store } = await makeStore();
    await write(
      'other.pdf',
      CONTENT.map((byte) => byte ^ 1),
    );
    await mkdir(join(dir, 'documents', 'a'), { recursive: true });
    const path = join(dir, 'documents', 'a', 'other.pdf');
    await writeFile(path, Buffer.from(CONTENT).fill('%PDF-1.4\n', 0, 9));
    const found = await makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb: 1 }).find('a/other.pdf');
    if (typeof found === 'string') throw new Error(found);
    const place = what === 'its folder' ? dirname(path) : path;
    await rename(place, `${place}.before`);
    await symlink(what === 'its folder' ? dir : join(dir, 'other.pdf'), place);
    await expect(store.put(found)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('changed') });
    expect(await filesIn(join(dir, 'store'))).toEqual([]);
  },
);
