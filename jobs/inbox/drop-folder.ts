import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rmdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { writeDraft } from '../../src/files/draft.ts';
import { systemCode } from '../../src/files/file-fault.ts';
import { DONE, REJECTED, TAKEN } from './dropped-names.ts';

/** A drop folder that can be used. */
export type DropFolder = {
  /** The whole path, links resolved. */
  dir: string;
  /** Its own name, which it keeps wherever it is mounted. */
  id: string;
};

/** In `.taken`: the folder's own name. */
const ID_FILE = 'folder-id';

/**
 * Looks whether a drop folder can be used, and makes in it what is ours. It is never made itself: where it is missing, a disk may
 * not be mounted, and what is dropped onto that later would not be seen.
 *
 * @param dataDir the data folder: of neither may one be in the other
 * @throws LimitlineError `FILE`, in a sentence with what to do
 */
export async function openDropFolder(path: string, dataDir: string): Promise<DropFolder> {
  const dir = await realpath(path).catch((error) => {
    throw notUsable(path, FAULTS[systemCode(error)] ?? messageOf(error), error);
  });
  const data = await realpath(dataDir).catch(() => dataDir);
  if (isWithin(dir, data) || isWithin(data, dir)) {
    throw notUsable(path, `it and the data folder (${dataDir}) lie one within the other; name a folder apart from it`);
  }
  try {
    for (const own of [TAKEN, DONE, REJECTED]) await makeOwn(join(dir, own), own === TAKEN ? 0o700 : 0o777);
    return { dir, id: await folderId(join(dir, TAKEN)) };
  } catch (error) {
    if (error instanceof LimitlineError) throw error;
    throw notUsable(path, FAULTS[systemCode(error)] ?? messageOf(error), error);
  }
}

/** Why a folder cannot be looked into, or written to, by the code of the system. */
export const FAULTS: Readonly<Record<string, string>> = {
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

function isWithin(inner: string, outer: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** A link in the place of one of ours would carry files, and results, to wherever somebody who may drop files likes. */
async function makeOwn(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch((error) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  if ((await lstat(path)).isDirectory()) return;
  throw new LimitlineError(
    'FILE',
    `${path} is no folder, and files that were taken from the drop folder go there: move it away, and it is made anew.`,
  );
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
  // Whoever of two comes first names it.
  await draft.putInPlace(path, false).finally(draft.drop);
  return read();
}

/** Removes a folder that may be empty; whatever is in it stays. */
export async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error;
  });
}
