import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from './folder.ts';
import { isAlive, type Stamp, stampOf } from './stamp.ts';

/**
 * Takes the folder's lock for this process, if it is free or whoever had it is dead.
 *
 * The lock is the highest numbered of the files `lock.1`, `lock.2`, …: it belongs to the process whose stamp it contains,
 * and is free when it is empty. To take it, also from the dead, is to create the next number, which the file system lets only
 * one process do. So nobody ever removes a lock that another has just taken, as happens where a dead owner's file is
 * deleted and created again.
 *
 * @returns how to give it back, or undefined while a living process has it
 */
export function tryLock(folder: Folder): (() => void) | undefined {
  const last = numbersIn(folder)[0] ?? 0;
  if (last > 0 && isTaken(join(folder.path, `lock.${last}`), folder)) return undefined;
  const mine = last + 1;
  if (!create(folder, mine)) return undefined;
  const [highest, ...older] = numbersIn(folder);
  if (highest !== mine) {
    // Between our look and our creation others took it, gave it back and tidied up: ours is an old number.
    rmSync(join(folder.path, `lock.${mine}`), { force: true });
    return undefined;
  }
  for (const number of older) rmSync(join(folder.path, `lock.${number}`), { force: true });
  return () => truncateSync(join(folder.path, `lock.${mine}`));
}

/** The stamp in the folder's lock, for telling people which process everything waits for; '' where the lock is free. */
export function lockOwner(folder: Folder): Stamp | undefined {
  const last = numbersIn(folder)[0];
  return last === undefined ? undefined : readIfThere(join(folder.path, `lock.${last}`));
}

/** Highest first. */
function numbersIn(folder: Folder): number[] {
  return readdirSync(folder.path)
    .flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

function isTaken(path: string, folder: Folder): boolean {
  const stamp = readIfThere(path);
  // Gone means that a later number exists: taken, or free at the next look.
  return stamp === undefined || (stamp !== '' && isAlive(stamp, folder));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Links a finished file to the name: like O_EXCL it fails where that exists, and nobody ever reads half a stamp. */
function create(folder: Folder, number: number): boolean {
  const draft = join(folder.path, `draft.${randomUUID()}`);
  try {
    writeFileSync(draft, stampOf(process.pid, folder) ?? '');
    linkSync(draft, join(folder.path, `lock.${number}`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
