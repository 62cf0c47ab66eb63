import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { LimitlineError } from './errors.ts';

/** Whoever runs this; by `sudo`, also who called it. */
export type RunningUser = { uids: readonly number[]; gids: readonly number[]; isTrusting: boolean };

/**
 * Who runs this, nothing where a system knows no owners. `LIMITLINE_TRUST_ENV=on` in the environment means that whatever lies in the
 * working directory is obeyed.
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
 * Reads a file that decides what is done, such as where secrets are sent; nothing where there is none that can be read. It has to be
 * the user's own or root's, as the link has to be by which it is found, and nobody else may be able to write to it.
 *
 * @throws LimitlineError `SETTINGS` for another one, with owner and remedy
 */
export function readTrusted(path: string, runner: RunningUser | undefined): string | undefined {
  let file: number | undefined;
  try {
    const link = lstatSync(path);
    // What was looked at is what is read, whatever stands there by then; a pipe keeps nobody waiting.
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

/** The same of a folder that is used since it lies there. */
export function mustTrustFolder(path: string, runner: RunningUser | undefined): void {
  mustTrust(path, [lstatSync(path), statSync(path)], runner);
}

/** Of a link its owner alone counts: whoever may write to it is nobody. */
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
