import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type FileDraft, sha256Of } from './disk.ts';

export type Whose = { account: string; portfolio: string };

/**
 * The candidate paths of a file that a run leaves for people: 1 gives the preferred one, higher numbers those that are tried if it is
 * taken.
 */
export type Names = (number: number) => string;

export type LeftFiles = ReturnType<typeof makeLeftFiles>;

/**
 * Records which files a run has written into people's folders, and their content. Only an unchanged file of the same
 * portfolio is replaced or removed: edits of a person are never lost.
 *
 * @param dir the folder of these records, created with the first one
 * @param trialAccount the account whose files any other account may replace, because its results are not real
 * @param check rejects if nothing may be replaced now: the existing files know more than the new ones
 */
export function makeLeftFiles(given: { dir: string; trialAccount: string; check?: () => Promise<unknown> }) {
  const { dir, trialAccount, check = async () => {} } = given;
  const memory = makeLeftMemory(dir);

  async function remove(path: string): Promise<string> {
    await rm(path, { force: true });
    await memory.forgetFile(path);
    return path;
  }

  /** Tells what is at a path: nothing, a file of this portfolio as Limitline wrote it (`ours`), or anything else. */
  async function lookAt(path: string, whose: Whose): Promise<'none' | 'ours' | 'other'> {
    const found = await lstat(path).catch(() => undefined);
    if (!found) return 'none';
    const left = await memory.fileAt(path);
    const isTrial = left?.account === trialAccount && whose.account !== trialAccount;
    if (!left || !(isTrial || isSame(left, whose)) || !found.isFile()) return 'other';
    if (left.isLetGo) return 'other';
    return (await sha256Of(path).catch(() => '')) === left.sha256 ? 'ours' : 'other';
  }

  /** The portfolio's files under the candidate names, as they are recorded. */
  async function filesOf(names: Names, whose: Whose): Promise<[path: string, LeftFile][]> {
    const found: [string, LeftFile][] = [];
    const highest = Math.max(1, await memory.highestBeside(names(1)));
    for (let number = 1; number <= highest; number += 1) {
      const known = await memory.fileAt(names(number));
      if (known && isSame(known, whose)) found.push([names(number), known]);
    }
    return found;
  }

  /** Removes files of the portfolio that nobody changed, under the candidate names from `number` on; returns their paths. */
  async function removeFrom(number: number, names: Names, whose: Whose): Promise<string[]> {
    const highest = await memory.highestBeside(names(1));
    const removed: string[] = [];
    for (let later = number; later <= highest; later += 1) {
      const path = names(later);
      const isOurs = isSame(await memory.fileAt(path), whose) && (await lookAt(path, whose)) === 'ours';
      if (isOurs) removed.push(await remove(path));
    }
    return removed;
  }

  return {
    /** The portfolio for which this file was written, even if somebody has changed it. */
    async whose(path: string): Promise<Whose | undefined> {
      return memory.fileAt(path);
    },

    /**
     * Moves the draft to the first name that is free or has our unchanged file. The portfolio's files under later names are outdated then:
     * unchanged ones are removed. Files of `trialAccount` stay, unless the draft belongs to that account.
     *
     * @param of the number of the import whose lines the draft has
     * @returns the file's path, and the removed paths
     */
    async leave(
      draft: FileDraft,
      names: Names,
      whose: Whose,
      of?: number,
    ): Promise<{ path: string; outdated: string[] }> {
      await check();
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await lookAt(path, whose);
        if (there === 'other' || !(await draft.putInPlace(path, there === 'ours'))) continue;
        await memory.rememberFile(path, { ...whose, sha256: draft.sha256, of });
        if (number > (await memory.highestBeside(names(1)))) await memory.rememberHighest(names(1), number);
        return { path, outdated: await removeFrom(number + 1, names, whose) };
      }
    },

    /**
     * Leaves those files under these candidate names to people, as if somebody had changed them, whose lines are still to be corrected: none
     * is replaced or removed until a later call finds them corrected. Returns the paths of these files.
     *
     * @param isOpen whether lines of this import are still to be corrected; its number is undefined if an earlier version wrote the file
     */
    async letGo(
      names: Names,
      whose: Whose,
      isOpen: (number: number | undefined) => Promise<boolean>,
    ): Promise<string[]> {
      const left: string[] = [];
      for (const [path, known] of await filesOf(names, whose)) {
        const isLetGo = await isOpen(known.of);
        await memory.rememberFile(path, { ...known, isLetGo });
        if (isLetGo && (await lookAt(path, whose)) !== 'none') left.push(path);
      }
      return left;
    },

    /**
     * Removes those files under these candidate names that nobody changed. Returns the removed ones, and those that stay, since they were
     * changed or are not of this portfolio.
     */
    async withdraw(names: Names, whose: Whose): Promise<{ removed: string[]; kept: string[] }> {
      const removed: string[] = [];
      const kept: string[] = [];
      const highest = await memory.highestBeside(names(1));
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await lookAt(path, whose);
        // A name below the highest used one may have no file, since a person may have removed it. So later names are looked at too.
        if (there === 'none' && number > highest) return { removed, kept };
        if (there === 'other') kept.push(path);
        if (there === 'ours') removed.push(await remove(path));
      }
    },
  };
}

/** Opens the records of written files. @param dir the folder of the records, one file each; created with the first one */
function makeLeftMemory(dir: string): LeftMemory {
  const recordOf = (path: string) => join(dir, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);
  // No path contains `\0`, so the record of a series never has the name of a file's record.
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

const isSame = (left: Whose | undefined, { account, portfolio }: Whose) =>
  left?.account === account && left.portfolio === portfolio;

/**
 * The record of a written file: its account and portfolio, the SHA-256 of its content, in hex, and the number of the import whose lines it
 * has. `isLetGo`: it was left to people, because these lines are still to be corrected.
 */
type LeftFile = z.output<typeof leftFileSchema>;

/** Records of files that were written into people's folders. */
type LeftMemory = {
  /** The record of the file at a path; undefined if there is none that can be read: then the file is not one that Limitline wrote. */
  fileAt(path: string): Promise<LeftFile | undefined>;
  rememberFile(path: string, left: LeftFile): Promise<void>;
  forgetFile(path: string): Promise<void>;
  /**
   * The highest number in the names of written files, such as 2 of `buyers.results-2.csv`, in the series that begins with the name `first`.
   * It is 0 if unknown, as in records of older versions.
   */
  highestBeside(first: string): Promise<number>;
  rememberHighest(first: string, highest: number): Promise<void>;
};

const leftFileSchema = z.object({
  account: z.string(),
  portfolio: z.string(),
  sha256: z.string(),
  of: z.int().optional(),
  isLetGo: z.boolean().optional(),
});

const seriesSchema = z.object({ highest: z.int().min(1).max(10_000) });
type Series = z.output<typeof seriesSchema>;
