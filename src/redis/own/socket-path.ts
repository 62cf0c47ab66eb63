import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { LimitlineError } from '../../errors.ts';

/** Relative to the server's working directory, so that the name is short enough wherever the folder is. */
export const SOCKET_NAME = 'redis.sock';

/** The kernel's limit for the path of a Unix socket (sun_path): 108 bytes on Linux, 104 on macOS, with the final NUL. */
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
    throw new LimitlineError(
      'FILE',
      `Data folder ${folder} has too long a path for a socket, and so has ${tmpdir()}; set LIMITLINE_DATA or TMPDIR to a shorter one.`,
    );
  }
  symlinkSync(folder, join(linkDir, 'r'));
  return { path, close };
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES;
}
