import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Folder, isAlive, type Stamp, stampOf } from './process-stamp.ts';

/**
 * Takes the folder's lock for this process, if it is free or its owner is dead.
 *
 * The lock is the highest numbered of the files `lock.1`, `lock.2`, …. It belongs to the process whose stamp the file contains, and is free
 * if the file is empty. A process takes it, even from a dead owner, by creating the next number, which the file system allows only one
 * process to do. So no process can remove a lock that another has just taken, as could happen if a dead owner's file were deleted
 * and created again.
 *
 * @returns how to release it, or undefined while a living process has it
 */
export function tryLock(folder: Folder): (() => void) | undefined {
  const last = numbersIn(folder)[0] ?? 0;
  if (last > 0 && isTaken(join(folder.path, `lock.${last}`), folder)) return undefined;
  const mine = last + 1;
  if (!create(folder, mine)) return undefined;
  const [highest, ...older] = numbersIn(folder);
  if (highest !== mine) {
    // In between other processes took the lock, released it and removed old files: our number is outdated.
    rmSync(join(folder.path, `lock.${mine}`), { force: true });
    return undefined;
  }
  for (const number of older) rmSync(join(folder.path, `lock.${number}`), { force: true });
  return () => truncateSync(join(folder.path, `lock.${mine}`));
}

/** The stamp in the folder's lock, to tell people which process others wait for; '' if the lock is free. */
export function lockOwner(folder: Folder): Stamp | undefined {
  const last = numbersIn(folder)[0];
  return last === undefined ? undefined : readIfThere(join(folder.path, `lock.${last}`));
}

/** The numbers of lock files, highest first. */
function numbersIn(folder: Folder): number[] {
  return readdirSync(folder.path)
    .flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

function isTaken(path: string, folder: Folder): boolean {
  const stamp = readIfThere(path);
  // A missing file means that a later number exists: taken, or free on the next attempt.
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

/** Links a complete file to the name: like O_EXCL it fails if the name exists, and nobody reads half a stamp. */
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
