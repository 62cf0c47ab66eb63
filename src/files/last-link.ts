import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncToDisk } from './disk.ts';

/** The last known entry of a chain in Redis (the audit trail, or the marks of what was sent): number and link. */
export type LastLink = { number: number; link: string };

export type LastLinkMemory = ReturnType<typeof makeLastLinkMemory>;

/**
 * Stores the last link of a chain in a folder outside Redis. It reveals a chain that was truncated or restored from an
 * older copy. An entry is in Redis before it is stored here, so the chain may be ahead of this memory but never behind.
 *
 * Each entry is a file named by its number. The highest one counts, and lower ones are removed. So the processes of a
 * host need no lock, and a killed one leaves nothing that could count as the last.
 *
 * @param isSynced whether `remember` waits until the disk has the entry
 */
export function makeLastLinkMemory(dir: string, { isSynced = false } = {}) {
  return {
    dir,

    /** Reads the last link; undefined if none is stored. @throws the system's error when the folder or an entry cannot be read */
    async read(): Promise<LastLink | undefined> {
      for (let tries = 1; ; tries += 1) {
        const numbers = (await numbersIn(dir)).reverse();
        for (const number of numbers) {
          const link = await readFile(pathOf(dir, number), 'latin1').catch(ifGone(''));
          // A file without a whole link is passed over: the process that wrote it was killed, or the power failed.
          if (LINK.test(link)) return { number, link };
        }
        // All files in the listing may have been replaced meanwhile, so the folder is listed again.
        if (numbers.length === 0 || tries === MOST_TRIES) return undefined;
      }
    },

    /** Stores a link as the last one. @throws the system's error when the file cannot be written */
    async remember({ number, link }: LastLink): Promise<void> {
      const file = await open(pathOf(dir, number), 'w', 0o600).catch(async (error) => {
        if (error.code !== 'ENOENT') throw error;
        await mkdir(dir, { recursive: true, mode: 0o700 });
        return open(pathOf(dir, number), 'w', 0o600);
      });
      try {
        await file.writeFile(link);
        if (isSynced) await file.datasync();
      } catch (error) {
        // The incomplete file is removed: otherwise each attempt on a full disk would leave one.
        await unlink(pathOf(dir, number)).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
      // A new file's name is on the disk only after its folder is synced.
      if (isSynced) await syncToDisk(dir);
      const older = (await numbersIn(dir)).filter((other) => other < number);
      // Another process may have removed an older file already, so that error is ignored.
      await Promise.all(older.map((other) => unlink(pathOf(dir, other)).catch(() => {})));
    },
  };
}

/** Most times that the folder is listed because each file in the listing was replaced before it was read. */
const MOST_TRIES = 10;

const LINK = /^[\w-]{43}$/;
const NAME = /^last-(\d{1,16})$/;

const pathOf = (dir: string, number: number) => join(dir, `last-${number}`);

const ifGone =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };

/** The stored numbers, in ascending order. */
async function numbersIn(dir: string): Promise<number[]> {
  const names = await readdir(dir).catch(ifGone<string[]>([]));
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right);
}
