import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Folder, isAlive, type Stamp, stampOf } from './process-mark.ts';

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
    // Other processes have taken and released the lock and removed old files in the meantime, so the number of this attempt is outdated.
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

/** The numbers of the files `lock.1`, `lock.2`, … in the folder, highest first. */
function numbersIn(folder: Folder): number[] {
  return readdirSync(folder.path)
    .flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

function isTaken(path: string, folder: Folder): boolean {
  const stamp = readIfThere(path);
  // If the file is missing, another process has made a later number: the lock is taken, or free at the next attempt.
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

/**
 * Makes a lock file with its complete content in one step, by a link. It fails if the name exists, like O_EXCL, and nobody reads half a
 * stamp.
 */
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
