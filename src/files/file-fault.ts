import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { LimitlineError, messageOf } from '../errors.ts';

/** The operating system's code of a file system error; '' if it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * A `FILE` error that names the file, the failed action, the reason and the remedy.
 *
 * @param action the failed action: `read`, `written`, `copied into X`
 */
export function fileFault(path: string, action: string, error: unknown): LimitlineError {
  const code = systemCode(error);
  const reason =
    (action === 'written' && WRITING[code]) || REASONS[code] || `${messageOf(error)}; check the disk and try again`;
  return new LimitlineError('FILE', `${path} cannot be ${action}: ${reason}.`, { cause: error });
}

/** A folder's entries; empty if it is missing. @throws LimitlineError `FILE` when the folder cannot be read */
export async function entriesIn(dir: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch((error) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFault(dir, 'read', error);
  });
}

/** Words for error codes that have another meaning when a new file is written: they mean that its folder is missing. */
const WRITING: Record<string, string> = {
  ENOENT: 'there is no such folder; make it, or name another',
  ENOTDIR: 'there is no such folder; make it, or name another',
};

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'this user has no permission; change its permissions',
  EPERM: 'this user has no permission; change its permissions',
  ENOSPC: 'the disk is full; make room and try again',
  EDQUOT: "this user's share of the disk is full; make room and try again",
  EFBIG: 'it would be larger than a file may be here; raise the limit (ulimit -f)',
  EROFS: 'nothing can be written to that disk; name a place on another disk',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
};
