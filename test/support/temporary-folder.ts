import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Options } from 'csv-stringify';
import { onTestFinished } from 'vitest';
import type { Dialect } from '../../src/table/dialect.ts';

/** A folder for one test, deleted when the test ends. */
export async function makeTemporaryFolder() {
  // If the temporary folder is a link itself, resolved paths would differ from unresolved ones.
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'limitline-portfolio-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return {
    dir,
    /** Writes a file with its folders, and returns its path. */
    async write(name: string, content: string | Uint8Array): Promise<string> {
      const path = join(dir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
  };
}

/**
 * Options with which csv-stringify preserves every cell. By default it quotes only cells with the line break that ends
 * records.
 */
export function stringifyOptions({ delimiter, lineBreak }: Pick<Dialect, 'delimiter' | 'lineBreak'>): Options {
  return { delimiter, record_delimiter: lineBreak, quoted_match: /[\r\n]/ };
}
