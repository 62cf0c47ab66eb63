import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { HealthFact } from '../../../src/console/pages/health/add-health-page.ts';
import type { Context } from '../../../src/context.ts';
import { bytesText } from './figures-text.ts';

/** With less free space, an import or our own Redis may soon fail. */
const LITTLE_BYTES = 1_000_000_000;
const NEXT_TO_NONE_BYTES = 200_000_000;

/** Files counted at most: a folder of a hundred thousand documents would take too long. */
const MOST_FILES = 5_000;

/** The data folder: path, size, and free space on its disk. */
export async function diskPart({ settings }: Pick<Context, 'settings'>): Promise<HealthFact[]> {
  const path = settings.LIMITLINE_DATA;
  const { bsize, bavail, blocks } = await statfs(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return NONE;
    throw error;
  });
  if (blocks === 0) return [{ term: 'Data folder', what: `${path} (made with the first import)` }];
  const free = bsize * bavail;
  const kind = free < NEXT_TO_NONE_BYTES ? 'bad' : free < LITTLE_BYTES ? 'warn' : undefined;
  const { bytes, isAll } = await sizeOf(path);
  return [
    { term: 'Data folder', what: path },
    { term: 'Holds', what: `${isAll ? '' : 'more than '}${bytesText(bytes)}` },
    { term: 'Free on its disk', what: `${bytesText(free)} of ${bytesText(bsize * blocks)}`, ...(kind ? { kind } : {}) },
  ];
}

const NONE = { bsize: 0, bavail: 0, blocks: 0 };

async function sizeOf(top: string): Promise<{ bytes: number; isAll: boolean }> {
  const folders = [top];
  let [bytes, files] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      if (files === MOST_FILES) return { bytes, isAll: false };
      files += 1;
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
    }
  }
  return { bytes, isAll: true };
}
