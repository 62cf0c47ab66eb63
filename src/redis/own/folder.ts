import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../data-folder.ts';
import { LimitlineError, messageOf } from '../../errors.ts';

/** The folder of our own Redis. Its id stays the same if it is moved, and differs in copies. */
export type Folder = { path: string; id: string };

/**
 * Makes `redis` in the data folder, readable for its owner only, since it contains imported data.
 *
 * @throws LimitlineError `FILE` if it cannot be made or written to
 */
export function openFolder(dataDir: string): Folder {
  const path = join(dataDir, 'redis');
  try {
    makeFolder(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return { path, id: idOf(path) };
  } catch (error) {
    throw notWritable(dataDir, error);
  }
}

/** The error for a folder that cannot be written to, with reason and remedy. */
export function notWritable(path: string, error: unknown): LimitlineError {
  const remedy = 'give this user space and write access there, or set LIMITLINE_DATA to another folder';
  return new LimitlineError('FILE', `Data folder ${path} cannot be written to (${messageOf(error)}); ${remedy}.`, {
    cause: error,
  });
}

/** @throws LimitlineError `FILE` if the folder was moved or deleted: a server there would begin without data */
export function checkInPlace(folder: Folder): void {
  const stat = statSync(folder.path, { throwIfNoEntry: false });
  if (stat?.isDirectory() && idOf(folder.path) === folder.id) return;
  throw new LimitlineError(
    'FILE',
    `Data folder ${folder.path} was moved or deleted while it was in use; put it back, or start this command again.`,
  );
}

function idOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}-${ino}`;
}
