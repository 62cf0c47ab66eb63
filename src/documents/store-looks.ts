import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileFault } from '../files/file-fault.ts';

export type StoreLooks = ReturnType<typeof makeStoreLooks>;

/** Looks at the copies of a store (store.ts); nothing here changes one. @param dir the store's folder, which need not be there */
export function makeStoreLooks({ dir }: { dir: string }) {
  const pathOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256);
  return {
    pathOf,

    /** Whether there is a copy of this name. */
    async has(sha256: string): Promise<boolean> {
      return SHA256.test(sha256) && (await stat(pathOf(sha256)).catch(() => undefined)) !== undefined;
    },

    /**
     * Reads a copy to its end: whether it still has the content that it is named for.
     *
     * @throws LimitlineError `FILE` when it is there and cannot be read, the signal's reason when it is aborted
     */
    async check(sha256: string, signal: AbortSignal): Promise<'whole' | 'damaged' | 'missing'> {
      if (!(await this.has(sha256))) return 'missing';
      const digest = createHash('sha256');
      try {
        await pipeline(createReadStream(pathOf(sha256)), digest, { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw fileFault(pathOf(sha256), 'read', error);
      }
      return digest.digest('hex') === sha256 ? 'whole' : 'damaged';
    },

    /** The names of all copies, folder by folder: some hundred thousands in all, some hundred at a time. */
    async *names(): AsyncGenerator<string[]> {
      for (const folder of await readdir(dir).catch(() => [])) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        const names = await readdir(join(dir, folder)).catch(() => []);
        yield names.filter((name) => SHA256.test(name));
      }
    },

    /** When a copy was written, in ms; nothing where there is none any more. */
    async writtenMs(sha256: string): Promise<number | undefined> {
      return (await stat(pathOf(sha256)).catch(() => undefined))?.mtimeMs;
    },
  };
}

const SHA256 = /^[0-9a-f]{64}$/;
