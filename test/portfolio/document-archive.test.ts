import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDocuments } from '../../src/portfolio/document-archive.ts';
import { makeDocumentFolder } from '../../src/portfolio/documents.ts';
import { unnamedDocuments } from '../../src/portfolio/unnamed-documents.ts';
import { writeZip } from '../support/zip-file.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const PDF = '%PDF-1.4\n%\u00e2\u00e3\n';

describe('documents in a ZIP file', () => {
  test('are found as in a folder, and gone when it is closed', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF, '2026/b.pdf': PDF, '__MACOSX/._a.pdf': 'x' });
    const place = await openDocuments(path);
    const folder = makeDocumentFolder({ dir: place.dir, maxSizeMb: 1 });
    expect(await folder.find('a.pdf')).toMatchObject({ name: 'a.pdf', mediaType: 'application/pdf' });
    expect(await folder.find('2026/b.pdf')).toMatchObject({ sizeBytes: Buffer.byteLength(PDF) });
    expect(await unnamedDocuments(place.dir, new Set([join(place.dir, 'a.pdf')]))).toEqual(['2026/b.pdf']);
    await place.close();
    expect(existsSync(place.dir)).toBe(false);
  });

  test('that lead out of it are not written', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'xx/escaped.pdf': PDF });
    // yazl does not write such a name either, so it is put there by hand, of the same length.
    const bytes = (await readFile(path)).toString('latin1').replaceAll('xx/', '../');
    await writeFile(path, bytes, 'latin1');
    await expect(openDocuments(path)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('..') });
    expect(existsSync(join(dir, '..', 'escaped.pdf'))).toBe(false);
  });

  test('that unpack to far more than they are, are given up before they fill the disk', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'bomb.pdf': Buffer.alloc(64 * 1024 * 1024) });
    await expect(openDocuments(path)).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('300 times'),
    });
  });

  test('that unpack to far more than they are all together, each of a sound size, are given up', async () => {
    const { dir } = await makeTemporaryFolder();
    const blank = Buffer.alloc(1024 * 1024);
    const entries = Object.fromEntries(Array.from({ length: 70 }, (_none, n) => [`${n}.pdf`, blank]));
    const path = await writeZip(join(dir, 'd.zip'), entries);
    await expect(openDocuments(path)).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('unpacks to more than 64 MB'),
    });
  });

  test('that lie deeper than folders do are given up', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { [`${'a/'.repeat(40)}a.pdf`]: PDF });
    await expect(openDocuments(path)).rejects.toMatchObject({ message: expect.stringContaining('32 folders deep') });
  });

  test('are not unpacked by a process that is stopping', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    await expect(openDocuments(path, AbortSignal.abort())).rejects.toMatchObject({ code: 'STOPPED' });
  });

  test('with names as large as documents are given up', async () => {
    const { dir } = await makeTemporaryFolder();
    const entries = Object.fromEntries(
      Array.from({ length: 600 }, (_none, n) => [`__MACOSX/${n}`.padEnd(60_000, 'n'), 'x']),
    );
    const path = await writeZip(join(dir, 'd.zip'), entries);
    await expect(openDocuments(path)).rejects.toMatchObject({
      message: expect.stringContaining('its names are longer'),
    });
  });

  test('may be many, within reason', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    const bytes = await readFile(path);
    // What the archive says of itself (APPNOTE 4.3.16): entries on this disk, and in all.
    for (const back of [12, 14]) bytes.writeUInt16LE(20_001, bytes.length - back);
    await writeFile(path, bytes);
    await expect(openDocuments(path)).rejects.toMatchObject({ message: expect.stringContaining('20000 files') });
  });

  test('in a file that was cut off are a fault that names it', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = await writeZip(join(dir, 'd.zip'), { 'a.pdf': PDF });
    await writeFile(path, (await readFile(path)).subarray(0, 40));
    await expect(openDocuments(path)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(path) });
  });
});

test('a folder is taken as it is, there or not', async () => {
  const { dir } = await makeTemporaryFolder();
  for (const path of [dir, join(dir, 'none')]) expect((await openDocuments(path)).dir).toBe(path);
  expect(await unnamedDocuments(join(dir, 'none'), new Set())).toEqual([]);
});
