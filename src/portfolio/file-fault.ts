import { LimitlineError, messageOf } from '../errors.ts';

/** The operating system's code of a failure of the file system, or '' where it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A `FILE` fault in a sentence: which file, what could not be done with it, why, and what to do. */
export function fileFault(path: string, deed: string, error: unknown): LimitlineError {
  const reason = REASONS[systemCode(error)] ?? `${messageOf(error)}; check the disk and try again`;
  return new LimitlineError('FILE', `${path} cannot be ${deed}: ${reason}.`, { cause: error });
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'this user may not; change its permissions',
  EPERM: 'this user may not; change its permissions',
  ENOSPC: 'the disk is full; make room and try again',
  EDQUOT: 'this user may store no more there; make room and try again',
  EROFS: 'nothing can be written there; choose another place',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
};
