import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Draft, digestOf } from './draft.ts';

/** Whose results a file holds. */
export type Whose = { account: string; portfolio: string };

/** Where a file may be left: the first name is the one that it should have, the others are for when that is taken. */
export type Names = (number: number) => string;

export type LeftFiles = ReturnType<typeof makeLeftFiles>;

/**
 * Remembers which files a run has left in people's folders, and what was in them. Only a file that is still exactly what was
 * left there, of the same portfolio, is ever replaced or removed: whoever opened it and wrote into it keeps what he wrote.
 *
 * @param dir the folder of this memory, made when the first file is left
 * @param passing the account whose results anybody may replace, since nothing in them is real
 */
export function makeLeftFiles({ dir, passing }: { dir: string; passing: string }) {
  const recordOf = (path: string) => join(dir, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);
  // No path holds this character, so that no file's record is taken for it.
  const seriesOf = (names: Names) => recordOf(`${names(1)}\0series`);

  async function write(path: string, record: LeftFile | Series): Promise<void> {
    await mkdir(dir, { recursive: true });
    await writeFile(path, JSON.stringify(record), { mode: 0o600 });
  }

  async function highestOf(names: Names): Promise<number> {
    try {
      return seriesSchema.parse(JSON.parse(await readFile(seriesOf(names), 'utf8'))).highest;
    } catch {
      return 0;
    }
  }

  async function remove(path: string): Promise<string> {
    await rm(path, { force: true });
    await rm(recordOf(path), { force: true });
    return path;
  }

  async function known(path: string): Promise<LeftFile | undefined> {
    try {
      return leftFileSchema.parse(JSON.parse(await readFile(recordOf(path), 'utf8')));
    } catch {
      // Nothing is known of it, or nothing that can be read: then it is not ours.
      return undefined;
    }
  }

  async function standing(path: string, whose: Whose): Promise<'none' | 'ours' | 'other'> {
    const found = await lstat(path).catch(() => undefined);
    if (!found) return 'none';
    const left = await known(path);
    const isOfThis = left?.account === passing || isSame(left, whose);
    if (!left || !isOfThis || !found.isFile()) return 'other';
    return (await digestOf(path).catch(() => '')) === left.sha256 ? 'ours' : 'other';
  }

  return {
    /** Of which portfolio's results this file was left, whatever is in it now. */
    async whose(path: string): Promise<Whose | undefined> {
      return known(path);
    },

    /**
     * Puts the draft in place under the first name that is free or ours. What was left under a later name, when the first was
     * taken, is out of date then, and is removed if it is still as it was left; of a stand-in's too, its own portfolio only.
     *
     * @returns the path that it has now, and those that are gone
     */
    async leave(draft: Draft, names: Names, whose: Whose): Promise<{ path: string; outdated: string[] }> {
      const highest = await highestOf(names);
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await standing(path, whose);
        if (there === 'other' || !(await draft.putInPlace(path, there === 'ours'))) continue;
        await write(recordOf(path), { ...whose, sha256: draft.sha256 } satisfies LeftFile);
        if (number > highest) await write(seriesOf(names), { highest: number } satisfies Series);
        const outdated: string[] = [];
        for (let later = number + 1; later <= highest; later += 1) {
          const isOurs = isSame(await known(names(later)), whose) && (await standing(names(later), whose)) === 'ours';
          if (isOurs) outdated.push(await remove(names(later)));
        }
        return { path, outdated };
      }
    },

    /** Removes what was left under these names and is no longer true; answers what was removed, and what was not as it is no longer ours. */
    async withdraw(names: Names, whose: Whose): Promise<{ removed: string[]; kept: string[] }> {
      const [removed, kept]: [string[], string[]] = [[], []];
      const highest = await highestOf(names);
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await standing(path, whose);
        // Whoever took a file away leaves a gap, behind which others stand.
        if (there === 'none' && number > highest) return { removed, kept };
        if (there === 'other') kept.push(path);
        if (there === 'ours') removed.push(await remove(path));
      }
    },
  };
}

const isSame = (left: Whose | undefined, { account, portfolio }: Whose) =>
  left?.account === account && left.portfolio === portfolio;

const leftFileSchema = z.object({ account: z.string(), portfolio: z.string(), sha256: z.string() });
type LeftFile = z.output<typeof leftFileSchema>;

/** The highest number under which anything was left beside a first name. Memories of before have none. */
const seriesSchema = z.object({ highest: z.int().min(1).max(10_000) });
type Series = z.output<typeof seriesSchema>;
