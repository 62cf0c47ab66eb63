import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { LimitlineError } from './errors.ts';

/** The user and groups that run this process; with `sudo` also the caller's. */
type RunningUser = { uids: readonly number[]; gids: readonly number[]; isTrusting: boolean };

/**
 * The user who runs this process; undefined on a system without owners of files. `LIMITLINE_TRUST_ENV=on` in the environment trusts any
 * working directory.
 */
export function runnerOf(env: NodeJS.Dict<string>): RunningUser | undefined {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  if (uid === undefined || gid === undefined) return undefined;
  const caller = uid === 0 && /^\d+$/.test(env.SUDO_UID ?? '');
  return {
    uids: [uid, 0, ...(caller ? [Number(env.SUDO_UID)] : [])],
    gids: [gid, ...(caller && /^\d+$/.test(env.SUDO_GID ?? '') ? [Number(env.SUDO_GID)] : [])],
    isTrusting: env.LIMITLINE_TRUST_ENV?.trim().toLowerCase() === 'on',
  };
}

/**
 * Reads a file that decides what is done, such as where secrets are sent; undefined without a readable one. The file, and a link that leads
 * to it, must belong to the user or to root, and nobody else may be able to write to it.
 *
 * @throws LimitlineError `SETTINGS` for any other file, with owner and remedy
 */
export function readTrusted(path: string, runner: RunningUser | undefined): string | undefined {
  let file: number | undefined;
  try {
    const link = lstatSync(path);
    // Opened before it is checked, so that the checked file is the one read. O_NONBLOCK: a pipe must not block.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(file);
    mustTrust(path, [link, found], runner);
    return found.isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    if (error instanceof LimitlineError) throw error;
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Checks, as {@link readTrusted} does, a folder that is used because it is in the working directory. */
export function mustTrustFolder(path: string, runner: RunningUser | undefined): void {
  mustTrust(path, [lstatSync(path), statSync(path)], runner);
}

/** For a link only its owner is checked: nobody can write to it. */
function mustTrust(path: string, [link, found]: readonly [Stats, Stats], runner: RunningUser | undefined): void {
  if (!runner || runner.isTrusting) return;
  const { uids, gids } = runner;
  const stranger = [link, found].find(({ uid }) => !uids.includes(uid));
  const isOpen = (found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && !gids.includes(found.gid));
  if (!stranger && !isOpen) return;
  const why = stranger
    ? `it belongs to ${ownerName(stranger.uid)} and not to you, so it is not obeyed: look at what it says, and make it your own`
    : `others than you can write to it, so it is not obeyed: chmod go-w "${path}" keeps them out`;
  throw new LimitlineError('SETTINGS', `${path}: ${why}, or say LIMITLINE_TRUST_ENV=on in the environment`);
}

function ownerName(uid: number): string {
  try {
    const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
    return passwd.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0] ?? `user ${uid}`;
  } catch {
    return `user ${uid}`;
  }
}
