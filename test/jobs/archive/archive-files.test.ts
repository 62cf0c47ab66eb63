import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { removeArchive } from '../../../jobs/archive/archive-files.ts';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { makeFolder } from '../../support/workplace.ts';

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  return { ...real, rm: vi.fn(real.rm) };
});

test('an archive loses its name before any of its files is deleted', async () => {
  const dir = await makeFolder();
  const folder = join(dir, 'an-archive');
  await mkdir(folder);
  await writeFile(join(folder, MANIFEST), '{}');
  const killed = new Error('killed');
  vi.mocked(rm).mockImplementation(async (path) => {
    if ((await readdir(String(path)).catch(() => [])).length > 0) throw killed;
  });
  await expect(removeArchive(folder)).rejects.toBe(killed);
  expect(await readdir(dir)).toEqual(['an-archive.part']);
  vi.mocked(rm).mockRestore();
  await removeArchive(`${folder}.part`);
  await removeArchive(folder);
  expect(await readdir(dir)).toEqual([]);
});
