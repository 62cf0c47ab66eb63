import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, removed when the test is over. */
export async function makeTemporaryFolder() {
  // Where the temporary folder is itself a link, paths with links resolved would not compare.
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'limitline-portfolio-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return {
    dir,
    /** Writes a file, with the folders that it needs, and answers its path. */
    async write(name: string, content: string | Uint8Array): Promise<string> {
      const path = join(dir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
  };
}
