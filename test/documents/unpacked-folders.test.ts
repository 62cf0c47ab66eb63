import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { makeUnpackedFolder, sweepUnpackedFolders } from '../../src/documents/archive.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A temporary folder for the test with an unpacked folder of this process; its name is split into its parts. */
async function withFolder() {
  const { dir: root } = await makeTemporaryFolder();
  vi.stubEnv('TMPDIR', root);
  const folder = await makeUnpackedFolder();
  const [, pid = '', place = '', start = ''] = /-(\d+)-(\w+)-(\w+)-\w+$/.exec(basename(folder.dir)) ?? [];
  return { root, folder, pid, place, start };
}

const DAY_MS = 86_400_000;

// Promise: unpacked-documents-removed
test('the unpacked folder of a living process is kept, and deleted when it is closed', async () => {
  const { folder } = await withFolder();
  await sweepUnpackedFolders();
  expect((await stat(folder.dir)).mode & 0o777).toBe(0o700);
  await folder.close();
  expect(existsSync(folder.dir)).toBe(false);
});

test('unpacked folders of ended processes are removed, also if the process id was reused', async () => {
  const { root, folder, pid, place, start } = await withFolder();
  const outside = join(root, 'outside');
  await mkdir(join(outside, 'kept'), { recursive: true });
  for (const name of [`${pid}-${place}-00000000`, `4194305-${place}-${start}`]) {
    const left = join(root, `limitline-documents-${name}-aaaaaa`);
    await mkdir(join(left, 'group'), { recursive: true });
    await writeFile(join(left, 'group', 'a.pdf'), 'confidential');
    await symlink(outside, join(left, 'link'));
  }
  await sweepUnpackedFolders();
  expect((await readdir(root)).sort()).toEqual([basename(folder.dir), 'outside']);
  expect(await readdir(outside)).toEqual(['kept']);
  await folder.close();
});

test('an unpacked folder of an invisible process is removed after a day without changes', async () => {
  const { root, folder, pid, start } = await withFolder();
  const [fresh, old] = [
    join(root, `limitline-documents-${pid}-00000000-${start}-aaaaaa`),
    join(root, `limitline-documents-${pid}-00000000-${start}-bbbbbb`),
  ];
  for (const dir of [fresh, old]) await mkdir(dir);
  const then = new Date(Date.now() - DAY_MS - 60_000);
  await utimes(old, then, then);
  await sweepUnpackedFolders();
  expect([fresh, old].map((dir) => existsSync(dir))).toEqual([true, false]);
  await folder.close();
});

test('links, files and folders with similar names are kept', async () => {
  const { root, folder, place, start } = await withFolder();
  const kept = join(root, 'kept');
  await mkdir(kept);
  await writeFile(join(kept, 'a.pdf'), 'x');
  const gone = `4194305-${place}-${start}`;
  await symlink(kept, join(root, `limitline-documents-${gone}-aaaaaa`));
  await writeFile(join(root, `limitline-documents-${gone}-bbbbbb`), 'a file');
  for (const name of [`limitline-documents-${gone}`, `limitline-documents-${gone}-aaaaaa.bak`, 'limitline-documents-x'])
    await mkdir(join(root, name));
  const before = (await readdir(root)).sort();
  await sweepUnpackedFolders();
  expect((await readdir(root)).sort()).toEqual(before);
  expect(await readdir(kept)).toEqual(['a.pdf']);
  await folder.close();
});

test('concurrent sweeps do not disturb each other', async () => {
  const { root, folder, place, start } = await withFolder();
  for (let n = 0; n < 20; n += 1) {
    const left = join(root, `limitline-documents-4194305-${place}-${start}-${String(n).padStart(6, '0')}`);
    await mkdir(join(left, 'a', 'b'), { recursive: true });
    await writeFile(join(left, 'a', 'b', 'c.pdf'), 'x');
  }
  await Promise.all(Array.from({ length: 4 }, sweepUnpackedFolders));
  expect(await readdir(root)).toEqual([basename(folder.dir)]);
  await folder.close();
});

test('closing an unpacked folder that was moved away is not an error', async () => {
  const { root, folder } = await withFolder();
  await rename(folder.dir, join(root, 'moved'));
  await folder.close();
});
