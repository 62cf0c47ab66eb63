import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileFault } from '../files/file-fault.ts';

export type StoreLooks = ReturnType<typeof makeStoreLooks>;

/** Reads a store of copies (store.ts) without changing it. @param dir the store's folder, which may be missing */
export function makeStoreLooks({ dir }: { dir: string }) {
  const pathOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256);
  return {
    pathOf,

    /** Whether a copy with this digest exists. */
    async has(sha256: string): Promise<boolean> {
      return SHA256.test(sha256) && (await stat(pathOf(sha256)).catch(() => undefined)) !== undefined;
    },

    /**
     * Reads a copy completely, to compare its content with its name.
     *
     * @throws LimitlineError `FILE` when the copy cannot be read, or the signal's reason when it is aborted
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

    /** The names of all copies, one folder at a time: some hundred of some hundred thousand. */
    async *names(): AsyncGenerator<string[]> {
      for (const folder of await readdir(dir).catch(() => [])) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        const names = await readdir(join(dir, folder)).catch(() => []);
        yield names.filter((name) => SHA256.test(name));
      }
    },

    /** When the copy was written, in ms since 1970; undefined if it is gone. */
    async writtenMs(sha256: string): Promise<number | undefined> {
      return (await stat(pathOf(sha256)).catch(() => undefined))?.mtimeMs;
    },
  };
}

const SHA256 = /^[0-9a-f]{64}$/;
