import { lstat, rm } from 'node:fs/promises';
import { type FileDraft, fileDigestOf } from './draft.ts';
import { makeLeftMemory } from './left-memory.ts';

/** Whose results a file has in it. */
export type Whose = { account: string; portfolio: string };

/** Where a file may be left: the first name is the one that it should have, the others are for when that is taken. */
export type Names = (number: number) => string;

export type LeftFiles = ReturnType<typeof makeLeftFiles>;

/**
 * Remembers which files a run has left in people's folders, and what was in them. Only a file that is still exactly what was
 * left there, of the same portfolio, is ever replaced or removed: whoever opened it and wrote into it keeps what they wrote.
 *
 * @param dir the folder of this memory, made when the first file is left
 * @param trialAccount the account whose results anybody may replace, since nothing in them is real
 * @param check rejects where nothing may be replaced: what is there knows more than what is written now
 */
export function makeLeftFiles({
  dir,
  trialAccount,
  check = async () => {},
}: {
  dir: string;
  trialAccount: string;
  check?: () => Promise<unknown>;
}) {
  const memory = makeLeftMemory(dir);

  async function remove(path: string): Promise<string> {
    await rm(path, { force: true });
    await memory.forgetFile(path);
    return path;
  }

  /** What is under this name: nothing, what we left there as we left it, or anything else. */
  async function lookAt(path: string, whose: Whose): Promise<'none' | 'ours' | 'other'> {
    const found = await lstat(path).catch(() => undefined);
    if (!found) return 'none';
    const left = await memory.fileAt(path);
    const isOfThis = left?.account === trialAccount || isSame(left, whose);
    if (!left || !isOfThis || !found.isFile()) return 'other';
    return (await fileDigestOf(path).catch(() => '')) === left.sha256 ? 'ours' : 'other';
  }

  /** Removes what was left under names from this number on, of this portfolio alone, where it is as it was left. */
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
    /** Of which portfolio's results this file was left, whatever is in it now. */
    async whose(path: string): Promise<Whose | undefined> {
      return memory.fileAt(path);
    },

    /**
     * Puts the draft in place under the first name that is free or ours. What was left under a later name, when the first was
     * taken, is out of date then, and is removed if it is still as it was left; of a stand-in's too, its own portfolio only.
     *
     * @returns the path that it has now, and those that are gone
     */
    async leave(draft: FileDraft, names: Names, whose: Whose): Promise<{ path: string; outdated: string[] }> {
      await check();
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await lookAt(path, whose);
        if (there === 'other' || !(await draft.putInPlace(path, there === 'ours'))) continue;
        await memory.rememberFile(path, { ...whose, sha256: draft.sha256 });
        if (number > (await memory.highestBeside(names(1)))) await memory.rememberHighest(names(1), number);
        return { path, outdated: await removeFrom(number + 1, names, whose) };
      }
    },

    /** Removes what was left under these names and is no longer true; answers what was removed, and what was not as it is no longer ours. */
    async withdraw(names: Names, whose: Whose): Promise<{ removed: string[]; kept: string[] }> {
      const removed: string[] = [];
      const kept: string[] = [];
      const highest = await memory.highestBeside(names(1));
      for (let number = 1; ; number += 1) {
        const path = names(number);
        const there = await lookAt(path, whose);
        // Whoever took a file away leaves a gap, behind which there are others.
        if (there === 'none' && number > highest) return { removed, kept };
        if (there === 'other') kept.push(path);
        if (there === 'ours') removed.push(await remove(path));
      }
    },
  };
}

const isSame = (left: Whose | undefined, { account, portfolio }: Whose) =>
  left?.account === account && left.portfolio === portfolio;
