import { accessSync, constants, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { makeFolder } from '../../data-folder.ts';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Folder } from '../../files/process-mark.ts';

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
  const message = `Data folder ${folder.path} was moved or deleted while it was in use; put it back, or start this command again.`;
  throw new LimitlineError('FILE', message);
}

/** Name of the server's socket, relative to its working directory: so the path is short enough, wherever the folder is. */
export const SOCKET_NAME = 'redis.sock';

/** Most bytes of the path of a Unix socket, within the kernel's limit (sun_path): 108 on Linux, 104 on macOS, with the final NUL. */
const MAX_PATH_BYTES = 100;

/**
 * A path to the folder's socket that fits into a socket address: the absolute one; else the one relative to the working directory, valid
 * while that does not change; else one through a short link in the temporary folder, for this process only, since a shared link could be
 * made by somebody else.
 *
 * @throws LimitlineError `FILE` if even the temporary folder's path is too long
 */
export function openSocketPath(folder: string): { path: string; close: () => void } {
  const direct = [join(folder, SOCKET_NAME), join(relative(process.cwd(), folder), SOCKET_NAME)].find(fits);
  if (direct !== undefined) return { path: direct, close: () => {} };
  const linkDir = mkdtempSync(join(tmpdir(), 'limitline-'));
  const close = () => rmSync(linkDir, { recursive: true, force: true });
  const path = join(linkDir, 'r', SOCKET_NAME);
  if (!fits(path)) {
    close();
    const message = `Data folder ${folder} has too long a path for a socket, and so has ${tmpdir()}; set LIMITLINE_DATA or TMPDIR to a shorter one.`;
    throw new LimitlineError('FILE', message);
  }
  symlinkSync(folder, join(linkDir, 'r'));
  return { path, close };
}

function idOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}-${ino}`;
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= MAX_PATH_BYTES;
