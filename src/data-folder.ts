import { mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { LimitlineError } from './errors.ts';
import { mustTrustFolder, runnerOf } from './trust.ts';

/** The folder of ledger and copies, and how it was chosen: by setting, since it is in the working directory, or as the user's own. */
export type DataFolder = { path: string; by: 'setting' | 'here' | 'user' };

/** The folder in LIMITLINE_DATA, and where that is set. */
export type NamedFolder = { path: string; in: 'environment' | '.env' };

/** The environment, working directory and system on which the choice of the data folder depends. Tests can give any others. */
export type Surroundings = { env: NodeJS.Dict<string>; cwd: string; platform?: NodeJS.Platform; home?: () => string };

/**
 * Chooses the data folder: the named one (`~` is the user's home; in `.env` a relative path is beside that file); else a `.limitline` with
 * contents in the working directory; else the user's own. It depends no further on the working directory: else one file, imported from two
 * folders, would be requested twice.
 *
 * @throws LimitlineError `SETTINGS` if the last two both have contents, if the one here is not trusted (trust.ts), if the user has no
 *   home, or if the environment names a relative path
 */
export function chooseDataFolder(named: NamedFolder | undefined, surroundings: Surroundings): DataFolder {
  const { cwd } = surroundings;
  if (named !== undefined) return { path: namedFolder(named, surroundings), by: 'setting' };
  const here = join(cwd, '.limitline');
  const user = userDataFolder(surroundings);
  if (!hasContents(here)) return { path: needed(user), by: 'user' };
  mustTrustFolder(here, runnerOf(surroundings.env));
  if (user === undefined || !hasContents(user) || realpathSync(here) === realpathSync(user)) {
    return { path: here, by: 'here' };
  }
  const message = `there are two data folders, and neither knows what was requested from the other: ${contentsOf(here)}, and ${contentsOf(user)}; set LIMITLINE_DATA to the one to use, or move one away`;
  throw new LimitlineError('SETTINGS', message);
}

/** Describes the folder and how it was chosen. */
export function folderWords({ path, by }: DataFolder): string {
  const why = { setting: ' (LIMITLINE_DATA)', here: " (found here, and used before the user's own)", user: '' }[by];
  return `data folder ${path}${why}`;
}

/**
 * Makes a folder and its parents. Node's `recursive` never ends where the system answers ENOENT to making a folder, as below /proc.
 *
 * @returns whether the folder was missing
 * @throws what the file system says
 */
export function makeFolder(path: string, mode = 0o777): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    // Another process may have made it at this moment.
    if (isCode(error, 'EEXIST') && statSync(path).isDirectory()) return false;
    throw error;
  }
}

/**
 * The absolute path of a named folder. A relative path in the environment is rejected, since it would be another ledger in each working
 * directory; a `.env` file is only read in its own folder.
 */
function namedFolder({ path, in: where }: NamedFolder, surroundings: Surroundings): string {
  const { cwd } = surroundings;
  const [first = '', ...below] = path.split(/[/\\]/);
  const own = first === '~' ? homeOf(surroundings) : undefined;
  if (own !== undefined) return join(own, ...below);
  if (isAbsolute(path)) return resolve(path);
  if (where === '.env' && !first.startsWith('~')) return resolve(cwd, path);
  const example = first.startsWith('~') ? '' : `, such as ${resolve(cwd, path)}`;
  const message = `LIMITLINE_DATA is "${path}", which is not a whole path and so names another folder in every working directory: give the whole path${example}`;
  throw new LimitlineError('SETTINGS', message);
}

/**
 * The user's own data folder: below `$XDG_DATA_HOME` on any system, unless that is relative (XDG Base Directory Specification 0.8), else
 * below the system's folder for such data. Undefined without a home.
 */
function userDataFolder({ env, platform = process.platform, home = homedir }: Surroundings): string | undefined {
  const xdg = env.XDG_DATA_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'limitline');
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'limitline');
  const own = homeOf({ env, home });
  if (own === undefined) return undefined;
  if (platform === 'win32') return join(own, 'AppData', 'Local', 'limitline');
  if (platform === 'darwin') return join(own, 'Library', 'Application Support', 'limitline');
  return join(own, '.local', 'share', 'limitline');
}

/** The user's home; undefined without one, as for a container's user who is missing in the list of users. */
function homeOf({ env, home = homedir }: Pick<Surroundings, 'env' | 'home'>): string | undefined {
  try {
    const own = env.HOME || home();
    return isAbsolute(own) ? own : undefined;
  } catch {
    return undefined;
  }
}

function needed(user: string | undefined): string {
  if (user !== undefined) return user;
  const message = 'this user has no home folder for the data folder to be in; set LIMITLINE_DATA to a folder';
  throw new LimitlineError('SETTINGS', message);
}

/**
 * Whether a folder contains any file, also below. The search ends at the first file. An unreadable folder counts: it is somebody's, and must
 * not be ignored.
 */
function hasContents(path: string): boolean {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.some((entry) => !entry.isDirectory() || hasContents(join(path, entry.name)));
  } catch (error) {
    return !isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR');
  }
}

/** A folder and what is in it: `/x/.limitline (a ledger of 12 kB, 3 imported files, last written 2026-11-21)`. */
function contentsOf(path: string): string {
  const ledger = filesBelow(join(path, 'redis', 'appendonlydir'));
  const imported = filesBelow(join(path, 'imports')).length;
  const ledgerKb = Math.ceil(ledger.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / 1_000);
  const lastMs = Math.max(...filesBelow(path).map(({ changedMs }) => changedMs));
  const parts = [
    ...(ledger.length > 0 ? [`a ledger of ${ledgerKb.toLocaleString('en')} kB`] : ['no ledger of its own']),
    `${imported} imported ${imported === 1 ? 'file' : 'files'}`,
    ...(Number.isFinite(lastMs) ? [`last written ${new Date(lastMs).toISOString().slice(0, 10)}`] : []),
  ];
  return `${path} (${parts.join(', ')})`;
}

type FoundFile = { sizeBytes: number; changedMs: number };

/** Sizes and times of the files below a folder, as far as they are readable: they are only shown. */
function filesBelow(path: string): FoundFile[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return filesBelow(inside);
      const stat = statSync(inside, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ sizeBytes: stat.size, changedMs: stat.mtimeMs }] : [];
    });
  } catch {
    return [];
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
