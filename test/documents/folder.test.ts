import { execFileSync } from 'node:child_process';
import { link, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultDocumentsDir, makeDocumentFolder } from '../../src/documents/folder.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const PDF = '%PDF-1.4\n%âãÏÓ\n1 0 obj\n';

async function makeFolder({ maxSizeMb = 1 } = {}) {
  const { dir, write } = await makeTemporaryFolder();
  await mkdir(join(dir, 'documents'));
  const put = (name: string, content: string | Uint8Array = PDF) => write(`documents/${name}`, content);
  return { dir, put, find: makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb }).find };
}

describe('a document', () => {
  test('is found by its name, also in sub-folders', async () => {
    const { put, find } = await makeFolder();
    const path = await put('2026/Bilanz (geprüft).pdf');
    expect(await find('2026/Bilanz (geprüft).pdf')).toEqual({
      name: 'Bilanz (geprüft).pdf',
      path,
      sizeBytes: Buffer.byteLength(PDF),
      mediaType: 'application/pdf',
    });
  });

  test('is looked up once', async () => {
    const { dir, put, find } = await makeFolder();
    await put('a.pdf');
    const first = await find('a.pdf');
    await rename(join(dir, 'documents/a.pdf'), join(dir, 'documents/b.pdf'));
    expect(await find('a.pdf')).toBe(first);
  });

  test('may be a link within the folder', async () => {
    const { dir, put, find } = await makeFolder();
    const path = await put('real.pdf');
    await symlink('real.pdf', join(dir, 'documents/linked.pdf'));
    expect(await find('linked.pdf')).toMatchObject({ name: 'linked.pdf', path });
  });

  test('is found if the disk stores its name in decomposed letters', async () => {
    const { put, find } = await makeFolder();
    const path = await put('Bu\u0308cher/Jahresabschlu\u0308sse.pdf');
    expect(await find('B\u00fccher/Jahresabschl\u00fcsse.pdf')).toMatchObject({ path });
  });

  test('is found by the name without a protecting apostrophe if no file has the name as written', async () => {
    const { put, find } = await makeFolder();
    const [bare, marked] = [await put('-2026.pdf'), await put("'-2025.pdf")];
    expect(await find("'-2026.pdf", '-2026.pdf')).toMatchObject({ name: '-2026.pdf', path: bare });
    expect(await find("'-2025.pdf", '-2025.pdf')).toMatchObject({ name: "'-2025.pdf", path: marked });
    expect(await find("'-2024.pdf", '-2024.pdf')).toMatch(/^-2024.pdf is not in the documents folder/);
  });

  test('may have the maximum size, and not more', async () => {
    const { put, find } = await makeFolder();
    await put('a.txt', Buffer.alloc(1024 * 1024, 'a'));
    await put('b.txt', Buffer.alloc(1024 * 1024 + 1, 'a'));
    expect(await find('a.txt')).toMatchObject({ sizeBytes: 1024 * 1024 });
    expect(await find('b.txt')).toContain('at most 1 MB');
  });
});

describe('a document is refused', () => {
  test.each([
    ['/etc/passwd', 'absolute path'],
    ['C:/balance.pdf', 'absolute path'],
    ['~/balance.pdf', 'absolute path'],
    ['../outside.pdf', 'is outside the documents folder'],
    ['sub/../../outside.pdf', 'is outside the documents folder'],
    ['sub\\a.pdf', 'write / between'],
    ['a\0.pdf', 'no file name can have'],
    ['out.pdf', 'leads out of the documents folder: copy'],
    ['loop.pdf', 'leads to itself'],
    ['sub', 'is not a file'],
    ['pipe', 'is not a file'],
    ['empty.pdf', 'is empty'],
    ['none.pdf', 'is not in the documents folder'],
    ['here.pdf/none.pdf', 'is not in the documents folder'],
    ['Here.PDF', 'there is here.pdf; write that'],
    ['SUB/deep.PDF', 'there is sub/Deep.pdf; write that'],
    [`${'x'.repeat(300)}.pdf`, 'is too long'],
    ['', 'is not a file'],
    ['.', 'is not a file'],
  ])('with the name %j and the reason: %s', async (name, message) => {
    const { dir, put, find } = await makeFolder();
    await put('here.pdf');
    await put('sub/Deep.pdf');
    await put('empty.pdf', '');
    await put('../outside.pdf');
    await symlink('../outside.pdf', join(dir, 'documents/out.pdf'));
    await symlink('loop.pdf', join(dir, 'documents/loop.pdf'));
    execFileSync('mkfifo', [join(dir, 'documents/pipe')]);
    expect(await find(name)).toContain(message);
  });

  test('behind a link to a folder outside whose name begins like the documents folder', async () => {
    const { dir, put, find } = await makeFolder();
    await put('../documents-private/a.pdf');
    await symlink('../documents-private', join(dir, 'documents/private'));
    expect(await find('private/a.pdf')).toContain('leads out');
  });

  test('if there is no documents folder', async () => {
    const { dir } = await makeTemporaryFolder();
    expect(await makeDocumentFolder({ dir: join(dir, 'none'), maxSizeMb: 1 }).find('a.pdf')).toContain(
      '--documents DIR',
    );
  });
});

test('hundreds of documents are looked up concurrently', async () => {
  const { dir, put, find } = await makeFolder();
  await put('0.pdf');
  const names = Array.from({ length: 300 }, (_, index) => `${index}.pdf`);
  for (const name of names.slice(1)) await link(join(dir, 'documents/0.pdf'), join(dir, 'documents', name));
  const found = await Promise.all(names.map((name) => find(name)));
  expect(found.filter((one) => typeof one === 'string')).toEqual([]);
});

test('the default documents folder lies beside the file', () => {
  expect(defaultDocumentsDir('/data/q4/portfolio.csv')).toBe('/data/q4/documents');
});
