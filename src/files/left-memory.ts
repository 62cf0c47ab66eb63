import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The record of a written file: its account and portfolio, and the SHA-256 of its content, in hex. */
type LeftFile = z.output<typeof leftFileSchema>;

/** Records of files that were written into people's folders. */
type LeftMemory = {
  /** Undefined if there is no readable record: then the file is not ours. */
  fileAt(path: string): Promise<LeftFile | undefined>;
  rememberFile(path: string, left: LeftFile): Promise<void>;
  forgetFile(path: string): Promise<void>;
  /** The highest number used beside this first name; 0 if none was, or in records of older versions. */
  highestBeside(first: string): Promise<number>;
  rememberHighest(first: string, highest: number): Promise<void>;
};

/** @param dir the folder of the records, one file each; created with the first one */
export function makeLeftMemory(dir: string): LeftMemory {
  const recordOf = (path: string) => join(dir, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);
  // No path contains this character, so the key never equals that of a file.
  const seriesOf = (first: string) => recordOf(`${first}\0series`);

  async function write(path: string, record: LeftFile | Series): Promise<void> {
    await mkdir(dir, { recursive: true });
    await writeFile(path, JSON.stringify(record), { mode: 0o600 });
  }

  async function read<Known>(path: string, schema: z.ZodType<Known>): Promise<Known | undefined> {
    try {
      return schema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return undefined;
    }
  }

  return {
    fileAt: (path) => read(recordOf(path), leftFileSchema),
    rememberFile: (path, left) => write(recordOf(path), left),
    forgetFile: (path) => rm(recordOf(path), { force: true }),
    async highestBeside(first) {
      return (await read(seriesOf(first), seriesSchema))?.highest ?? 0;
    },
    rememberHighest: (first, highest) => write(seriesOf(first), { highest }),
  };
}

const leftFileSchema = z.object({ account: z.string(), portfolio: z.string(), sha256: z.string() });

const seriesSchema = z.object({ highest: z.int().min(1).max(10_000) });
type Series = z.output<typeof seriesSchema>;
