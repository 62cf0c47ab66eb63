import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Options } from 'csv-stringify';
import { onTestFinished } from 'vitest';
import type { Dialect } from '../../src/table/dialect.ts';

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

/** Options by which csv-stringify preserves every cell: by default it quotes only cells with the line break that ends records. */
export function stringifyOptions({ delimiter, lineBreak }: Pick<Dialect, 'delimiter' | 'lineBreak'>): Options {
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}
