import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileFault } from '../files/file-fault.ts';
import { MARK_PATTERN, markOfProcess } from '../files/process-mark.ts';
import { sweepLeftBehind } from '../files/sweep.ts';

/** A folder among the system's temporary ones, of this process and for this user alone. */
type UnpackedFolder = { dir: string; close(): Promise<void> };

/**
 * Makes an empty folder that is gone when it is closed, and when the process ends before, unless that is killed: then the
 * next that calls {@link sweepUnpackedFolders} removes it.
 *
 * @throws LimitlineError `FILE` when the system's temporary folder is not there, or is full.
 */
export async function makeUnpackedFolder(): Promise<UnpackedFolder> {
  // mkdtemp makes it for its owner alone, under a name that nobody could make before.
  const made = await mkdtemp(join(tmpdir(), `${PREFIX}${markOfProcess()}-`)).catch((error: unknown) => {
    throw fileFault(tmpdir(), 'used to unpack documents', error);
  });
  const dir = await realpath(made);
  if (open.size === 0) process.on('exit', removeUnpackedFolders);
  open.add(dir);
  const refreshing = setInterval(() => {
    utimes(dir, new Date(), new Date()).catch(() => {});
  }, REFRESH_EVERY_MS).unref();
  return {
    dir,
    async close() {
      clearInterval(refreshing);
      await rm(dir, { recursive: true, force: true });
      open.delete(dir);
      if (open.size === 0) process.off('exit', removeUnpackedFolders);
    },
  };
}

/** Removes what this process has made and not closed, at once: for a process that ends in this moment. */
export function removeUnpackedFolders(): void {
  for (const dir of open) {
    try {
      rmSync(dir, { recursive: true, force: true });
      open.delete(dir);
    } catch {
      // Something was just written into it. The next start removes it.
    }
  }
}

/**
 * Removes the folders that killed processes of this user left behind. Others are left alone: those of a living process,
 * those of other users, links, and, for a day, those of a place whose processes cannot be seen from here.
 */
export async function sweepUnpackedFolders(): Promise<void> {
  await sweepLeftBehind({
    dir: tmpdir(),
    names: NAME,
    folders: true,
    isOurs: (found) => found.isDirectory() && found.uid === process.getuid?.(),
  });
}

const PREFIX = 'limitline-documents-';

/** The process that made it, and what mkdtemp adds. */
const NAME = new RegExp(`^${PREFIX}${MARK_PATTERN}-[A-Za-z0-9]{6}$`);

/** The system may be asked to tidy its temporary folders by age, and others cannot see our process. */
const REFRESH_EVERY_MS = 3_600_000;

const open = new Set<string>();
