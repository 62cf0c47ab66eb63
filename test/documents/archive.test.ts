import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDocuments } from '../../src/documents/archive.ts';
import { makeDocumentFolder, unnamedDocuments } from '../../src/documents/folder.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { writeZip } from '../support/workbooks.ts';

const PDF = '%PDF-1.4\n%\u00e2\u00e3\n';

describe('documents in a ZIP file', () => {
  test('are found as in a folder, and deleted when it is closed', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF, '2026/b.pdf': PDF, '__MACOSX/._a.pdf': 'x' });
    const place = await openDocuments(path);
    const folder = makeDocumentFolder({ ...place, maxSizeMb: 1 });
    expect(await folder.find('none.pdf')).toBe(
      `none.pdf is not in the documents folder ${path}: put it there, or correct the name.`,
    );
    expect(await folder.find('a.pdf')).toMatchObject({ name: 'a.pdf', mediaType: 'application/pdf' });
    expect(await folder.find('2026/b.pdf')).toMatchObject({ sizeBytes: Buffer.byteLength(PDF) });
    expect(await unnamedDocuments(place.dir, new Set([join(place.dir, 'a.pdf')]))).toEqual(['2026/b.pdf']);
    await place.close();
    expect(existsSync(place.dir)).toBe(false);
  });

  // Promises: one-folder-of-zip, unpacked-documents-removed
  test('are found with and without the name of a single top folder', async () => {
    const { dir } = await makeTemporaryFolder();
    const entries = { 'Q4/a.pdf': PDF, 'Q4/2026/b.pdf': PDF, '.DS_Store': 'x', '__MACOSX/Q4/._a.pdf': 'x' };
    const place = await openDocuments(await writeZip(join(dir, 'd.zip'), entries));
    const folder = makeDocumentFolder({ dir: place.dir, maxSizeMb: 1 });
    for (const name of ['a.pdf', 'Q4/a.pdf', '2026/b.pdf', 'Q4/2026/b.pdf']) {
      expect(await folder.find(name)).toMatchObject({ mediaType: 'application/pdf' });
    }
    expect(await folder.find('Q4/c.pdf')).toContain('is not in the documents folder');
    expect(await unnamedDocuments(place.dir, new Set())).toEqual(['2026/b.pdf', 'a.pdf']);
    await place.close();
    expect(existsSync(place.dir)).toBe(false);
  });

  test.each<[string, Record<string, string>]>([
    ['beside files', { 'Q4/a.pdf': PDF, 'b.pdf': PDF }],
    ['around a folder with its own name', { 'Q4/a.pdf': PDF, 'Q4/q4/b.pdf': PDF }],
  ])('are found only with the name of their folder if it lies %s', async (_, entries) => {
    const { dir } = await makeTemporaryFolder();
    const place = await openDocuments(await writeZip(join(dir, 'd.zip'), entries));
    const folder = makeDocumentFolder({ dir: place.dir, maxSizeMb: 1 });
    for (const name of Object.keys(entries)) expect(await folder.find(name)).toMatchObject({ name: basename(name) });
    expect(await folder.find('a.pdf')).toContain('is not in the documents folder');
    await place.close();
  });

  test.each<[string, Buffer, string]>([
    ['UTF-8 without the UTF-8 flag', Buffer.from('M\u00fcller.pdf'), 'M\u00fcller.pdf'],
    ['CP437', Buffer.from('M\u0081llers.pdf', 'latin1'), 'M\u00fcllers.pdf'],
  ])('with names in %s are found', async (_, raw, name) => {
    const { dir } = await makeTemporaryFolder();
    const ascii = 'x'.repeat(raw.length);
    const path = await writeZip(join(dir, 'd.zip'), { [ascii]: PDF });
    const bytes = await readFile(path);
    for (let at = bytes.indexOf(ascii); at !== -1; at = bytes.indexOf(ascii)) raw.copy(bytes, at);
    // yazl sets the UTF-8 flag for every name: bit 11 of the flags, in both headers of an entry (APPNOTE 4.3.7,
    // 4.3.12).
    for (const [signature, flagsAt] of [
      ['PK\x03\x04', 6],
      ['PK\x01\x02', 8],
    ] as const) {
      bytes.writeUInt16LE(0, bytes.indexOf(signature) + flagsAt);
    }
    await writeFile(path, bytes);
    const place = await openDocuments(path);
    expect(await makeDocumentFolder({ dir: place.dir, maxSizeMb: 1 }).find(name)).toMatchObject({ name });
    await place.close();
  });

  // Only the superuser can mount a disk for the test.
  // Promise: unpacked-documents-removed
  test.skipIf(process.getuid?.() !== 0)('are refused if they fill the disk, and leave nothing behind', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': randomBytes(900_000), 'b.pdf': randomBytes(900_000) });
    const disk = join(dir, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'limitline-test', disk]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
    vi.stubEnv('TMPDIR', disk);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(openDocuments(path)).rejects.toMatchObject({
      code: 'FILE',
      message: `The documents in ${path} cannot be unpacked into ${disk}: its disk is full; make room there, or name another folder in TMPDIR.`,
    });
    expect(await readdir(disk)).toEqual([]);
  });

  test('are refused if a path leads out of the archive', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'xx/escaped.pdf': PDF });
    // yazl does not write such a name either, so it is patched in with the same length.
    const bytes = (await readFile(path)).toString('latin1').replaceAll('xx/', '../');
    await writeFile(path, bytes, 'latin1');
    await expect(openDocuments(path)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('..') });
    expect(existsSync(join(dir, '..', 'escaped.pdf'))).toBe(false);
  });

  test('are refused if one expands enormously, before it fills the disk', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'bomb.pdf': Buffer.alloc(64 * 1024 * 1024) });
    await expect(openDocuments(path)).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('300 times'),
    });
  });

  test('are refused if they expand enormously all together', async () => {
    const { dir } = await makeTemporaryFolder();
    const blank = Buffer.alloc(1024 * 1024);
    const entries = Object.fromEntries(Array.from({ length: 70 }, (_none, n) => [`${n}.pdf`, blank]));
    const path = await writeZip(join(dir, 'd.zip'), entries);
    await expect(openDocuments(path)).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('unpacks to more than 64 MB'),
    });
  });

  test('are refused if they lie more than 32 folders deep', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { [`${'a/'.repeat(40)}a.pdf`]: PDF });
    await expect(openDocuments(path)).rejects.toMatchObject({ message: expect.stringContaining('32 folders deep') });
  });

  test('are not unpacked by a process that is stopping', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    await expect(openDocuments(path, AbortSignal.abort())).rejects.toMatchObject({ code: 'STOPPED' });
  });

  test('are refused if their names take too much memory', async () => {
    const { dir } = await makeTemporaryFolder();
    const entries = Object.fromEntries(
      Array.from({ length: 600 }, (_none, n) => [`__MACOSX/${n}`.padEnd(60_000, 'n'), 'x']),
    );
    const path = await writeZip(join(dir, 'd.zip'), entries);
    await expect(openDocuments(path)).rejects.toMatchObject({
      message: expect.stringContaining('the names of its files take more than 32 MB'),
    });
  });

  test('are refused if there are more than 20,000', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    const bytes = await readFile(path);
    // The numbers of entries that the archive states (APPNOTE 4.3.16): on this disk, and in total.
    for (const back of [12, 14]) bytes.writeUInt16LE(20_001, bytes.length - back);
    await writeFile(path, bytes);
    await expect(openDocuments(path)).rejects.toMatchObject({ message: expect.stringContaining('20000 files') });
  });

  test("are refused with the file's name if the file was cut off", async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    await writeFile(path, (await readFile(path)).subarray(0, 40));
    await expect(openDocuments(path)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(path) });
  });
});

test('a folder is used as it is, even if it does not exist', async () => {
  const { dir } = await makeTemporaryFolder();
  for (const path of [dir, join(dir, 'none')]) expect((await openDocuments(path)).dir).toBe(path);
  expect(await unnamedDocuments(join(dir, 'none'), new Set())).toEqual([]);
});

test('documents are not unpacked into disk space that is reserved for the ledger', async () => {
  const { dir } = await makeTemporaryFolder();
  const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF, 'b.pdf': `${PDF}${'b'.repeat(5_000)}` });
  const place = await openDocuments(path, undefined, async () => 6_000);
  await place.close();
  const asked = openDocuments(path, undefined, async () => 1_000);
  await expect(asked).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('make room there') });
});
