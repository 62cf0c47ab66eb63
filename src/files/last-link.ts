import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** The last entry of a chain in Redis (of the audit trail, of the marks of what was sent) that a host knows of: its number and its link. */
export type LastLink = { number: number; link: string };

export type LastLinkMemory = ReturnType<typeof makeLastLinkMemory>;

/**
 * Remembers the last link of a chain in a folder outside Redis, so that one whose end was cut off, or that was set back
 * to an older copy, shows. An entry stands in Redis before it is remembered, so the chain may be ahead of this memory, and
 * never behind.
 *
 * One file an entry, named by its number; the highest counts, and the lower ones are removed. So several processes of a host need
 * no lock, and one that is killed in between leaves nothing that would be taken for the last.
 *
 * @param isSynced whether it stands on the disk when it is remembered
 */
export function makeLastLinkMemory(dir: string, { isSynced = false } = {}) {
  return {
    dir,

    /** Undefined where nothing is remembered. @throws the system's error where the folder, or an entry, cannot be read */
    async read(): Promise<LastLink | undefined> {
      for (let tries = 1; ; tries += 1) {
        const numbers = (await numbersIn(dir)).reverse();
        for (const number of numbers) {
          const link = await readFile(pathOf(dir, number), 'latin1').catch(ifGone(''));
          // Shorter is what a process that was killed, or a machine without power, left half done.
          if (LINK.test(link)) return { number, link };
        }
        // Those that were there may all have been replaced meanwhile.
        if (numbers.length === 0 || tries === MOST_TRIES) return undefined;
      }
    },

    /** @throws the system's error where it cannot be written */
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
        // On a full disk there would be one more each time.
        await unlink(pathOf(dir, number)).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
      // The name of a new file is on the disk when its folder is.
      if (isSynced) await syncFolder(dir);
      const older = (await numbersIn(dir)).filter((other) => other < number);
      // Another process may have removed it by now.
      await Promise.all(older.map((other) => unlink(pathOf(dir, other)).catch(() => {})));
    },
  };
}

/** Replaced each time in the moment between being found and being read: no more often than this. */
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

/** The numbers that are remembered, the lowest first. */
async function numbersIn(dir: string): Promise<number[]> {
  const names = await readdir(dir).catch(ifGone<string[]>([]));
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right);
}
