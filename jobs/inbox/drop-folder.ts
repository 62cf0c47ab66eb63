import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { cp, link, lstat, mkdir, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside } from '../../src/documents/folder.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { syncToDisk, systemCode, writeDraft } from '../../src/files/disk.ts';
import { DONE, REJECTED, TAKEN } from './dropped-names.ts';

export type DropFolder = {
  /** The absolute path, with links resolved. */
  dir: string;
  /** The folder's own id, the same wherever it is mounted. */
  id: string;
};

/** The file in `.taken` with the folder's id. */
const ID_FILE = 'folder-id';

/**
 * Checks a drop folder, and makes our own folders in it. Never makes the drop folder itself: if it is missing, its disk may not
 * be mounted, and files in a new folder would be hidden by the mount.
 *
 * @param dataDir the data folder: neither may contain the other
 * @throws LimitlineError `FILE`, with what to do
 */
export async function openDropFolder(path: string, dataDir: string): Promise<DropFolder> {
  const dir = await realpath(path).catch((error) => {
    throw notUsable(path, FOLDER_FAULTS[systemCode(error)] ?? messageOf(error), error);
  });
  const data = await realpath(dataDir).catch(() => dataDir);
  if (isInside(data, dir) || isInside(dir, data)) {
    throw notUsable(path, `it and the data folder (${dataDir}) lie one within the other; name a folder apart from it`);
  }
  try {
    for (const own of [TAKEN, DONE, REJECTED]) await makeOwn(join(dir, own), own === TAKEN ? 0o700 : 0o777);
    return { dir, id: await folderId(join(dir, TAKEN)) };
  } catch (error) {
    if (error instanceof LimitlineError) throw error;
    throw notUsable(path, FOLDER_FAULTS[systemCode(error)] ?? messageOf(error), error);
  }
}

/** Why a folder cannot be read or written, by system code. */
export const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there; make it, or look whether its disk is mounted',
  ENOTDIR: 'it is no folder; name one',
  EACCES: 'this user may not read and write in it; change its permissions',
  EPERM: 'this user may not read and write in it; change its permissions',
  EROFS: 'its disk can only be read; mount it so that it can be written',
  ENOSPC: 'its disk is full; make room there',
  ESTALE: 'its network drive is gone; mount it again',
};

function notUsable(path: string, why: string, cause?: unknown): LimitlineError {
  return new LimitlineError('FILE', `The drop folder ${path} (LIMITLINE_INBOX) cannot be used: ${why}.`, { cause });
}

/** Makes one of our own folders. Refuses a symbolic link: people who may drop files could redirect results with it. */
async function makeOwn(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch((error) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  if ((await lstat(path)).isDirectory()) return;
  const message = `${path} is no folder, and files that were taken from the drop folder go there: move it away, and it is made anew.`;
  throw new LimitlineError('FILE', message);
}

async function folderId(dir: string): Promise<string> {
  const path = join(dir, ID_FILE);
  const read = async () => (await readFile(path, 'utf8')).trim();
  const known = await read().catch(() => '');
  if (known !== '') return known;
  const id = randomUUID();
  const draft = await writeDraft({
    dir,
    name: `${ID_FILE}-${id}`,
    mode: 0o600,
    write: (to) => new Promise((done, fail) => to.once('error', fail).end(id, done)),
  });
  // Of two processes, the first one determines the id.
  await draft.putInPlace(path, false).finally(draft.drop);
  return read();
}

export async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error;
  });
}

/** The `lstat` of a path; undefined where the path does not exist. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** A text that changes when somebody writes to the file: its size and time of change. */
export const changeOf = ({ size, mtimeMs }: Stats): string => `${size}:${mtimeMs}`;

/** Renames a file or folder; answers false where it is gone. */
export async function moved(from: string | Buffer, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Moves a file or folder, also to another disk: a complete, synced copy gets the name, then the original goes. */
export async function moveOver(from: string, to: string): Promise<void> {
  try {
    await moved(from, to);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    if (!(await statOf(from))) return;
    const draft = join(dirname(to), `.${basename(to)}.part`);
    await rm(draft, { recursive: true, force: true });
    await cp(from, draft, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    if ((await statOf(draft))?.isFile()) await syncToDisk(draft);
    await rename(draft, to).catch((fault) => {
      // If the target folder exists already, an earlier process copied it completely, and was killed before it removed the original.
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(fault))) throw fault;
    });
    await Promise.all([draft, from].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/**
 * Moves a file to a free name; answers false where the name is taken. On a disk without hard links, a file that gets the name at the same
 * moment is overwritten.
 */
export async function moveNew(from: string, to: string): Promise<boolean> {
  const isLinked = (await link(from, to).catch(() => false)) !== false;
  if (isLinked) await rm(from, { force: true });
  else if (await statOf(to)) return false;
  else await moveOver(from, to);
  return true;
}
