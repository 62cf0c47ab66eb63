import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileFault } from '../files/file-fault.ts';
import { MARK_PATTERN, markOfProcess, sweepLeftBehind } from '../files/process-mark.ts';

/** A temporary folder of this process, for this user only. */
type UnpackedFolder = { dir: string; close(): Promise<void> };

/**
 * Creates an empty folder that is removed on `close` or at the end of the process. If the process is killed, the next
 * {@link sweepUnpackedFolders} removes it.
 *
 * @throws LimitlineError `FILE` when the system's temporary folder is missing or full.
 */
export async function makeUnpackedFolder(): Promise<UnpackedFolder> {
  // mkdtemp makes it for its owner only, with an unpredictable name.
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

/** Removes this process's open folders synchronously, for the end of the process. */
export function removeUnpackedFolders(): void {
  for (const dir of open) {
    try {
      rmSync(dir, { recursive: true, force: true });
      open.delete(dir);
    } catch {
      // The removal fails if a file was just written into the folder; the next start of a command then removes the folder.
    }
  }
}

/**
 * Removes folders that killed processes of this user left. Not removed: folders of living processes and of other users,
 * links, and folders younger than a day whose processes are not visible here (another container).
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

/** The name of an unpacked folder: the prefix, the mark of the process that made it (`markOfProcess`), and mkdtemp's suffix. */
const NAME = new RegExp(`^${PREFIX}${MARK_PATTERN}-[A-Za-z0-9]{6}$`);

/**
 * Interval at which the folder's time of change is renewed, in ms. Otherwise the system may clear it away as old, and so may another
 * container, which cannot see that this process is alive.
 */
const REFRESH_EVERY_MS = 3_600_000;

const open = new Set<string>();
