import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, rename, rm, rmdir, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry } from 'yauzl';
import { LimitlineError, messageOf } from '../errors.ts';
import { fileFault, roomBytesOf, systemCode } from '../files/disk.ts';
import { MARK_PATTERN, markOfProcess, sweepLeftBehind } from '../files/process-mark.ts';
import { openZip, type ZipLimits } from '../files/zip.ts';
import { HOUR_MS } from '../time-units.ts';
import { type FolderWords, foldedName, folderWordsOf } from './folder.ts';

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
  if (unpacked.size === 0) process.on('exit', removeUnpackedFolders);
  unpacked.add(dir);
  const refreshing = setInterval(() => {
    utimes(dir, new Date(), new Date()).catch(() => {});
  }, REFRESH_EVERY_MS).unref();
  return {
    dir,
    async close() {
      clearInterval(refreshing);
      await rm(dir, { recursive: true, force: true });
      unpacked.delete(dir);
      if (unpacked.size === 0) process.off('exit', removeUnpackedFolders);
    },
  };
}

/** Removes this process's open folders synchronously, for the end of the process. */
export function removeUnpackedFolders(): void {
  for (const dir of unpacked) {
    try {
      rmSync(dir, { recursive: true, force: true });
      unpacked.delete(dir);
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
const REFRESH_EVERY_MS = HOUR_MS;

const unpacked = new Set<string>();

/** The folder of the documents, and its name for messages. If it was unpacked from a ZIP file, it is removed by `close`. */
type DocumentsPlace = { dir: string; words: FolderWords; close(): Promise<void> };

/**
 * Most levels of folders in a ZIP file, more than people use. Deeper entries are refused, since each level would become a folder on the
 * disk.
 */
const MAX_DEPTH = 32;

/** The limits of a ZIP file of documents. No known portfolio has so many documents; beyond, a folder is better than a ZIP file. */
const LIMITS: ZipLimits = { entries: 20_000, totalBytes: 4 * 1024 ** 3 };

/**
 * Uses a folder as it is. Unpacks a ZIP file into a temporary folder for this user only. Nothing is written outside of that folder, links
 * are skipped, and an archive that unpacks to too much is rejected. The unpacked files are removed when the process ends, also by a handled
 * signal; folders that killed processes left are removed before. If an archive has one top folder, file names may omit it.
 *
 * @param room the number of bytes that may be written to the temporary disk; default: asked of the system
 * @throws LimitlineError `FILE` when the ZIP file cannot be read or is too large unpacked; `STOPPED`.
 */
export async function openDocuments(
  path: string,
  signal?: AbortSignal,
  room: () => Promise<number> = () => roomBytesOf(tmpdir()),
): Promise<DocumentsPlace> {
  await sweepUnpackedFolders();
  const words = folderWordsOf(path);
  if (!(await isZip(path))) return { dir: path, words, close: async () => {} };
  const folder = await makeUnpackedFolder();
  try {
    await unpack(path, folder.dir, { signal, room });
    await liftTopFolder(folder.dir);
    return { ...folder, words };
  } catch (error) {
    await folder.close();
    if (signal?.aborted)
      throw new LimitlineError('STOPPED', `Unpacking ${path} was given up: the process is stopping.`);
    if (error instanceof LimitlineError) throw error;
    const noRoom = NO_ROOM[systemCode(error)];
    const message = noRoom
      ? `The documents in ${path} cannot be unpacked into ${tmpdir()}: ${noRoom}; make room there, or name another folder in TMPDIR.`
      : `The documents in ${path} cannot be unpacked: ${messageOf(error)}; pack them again, or give their folder.`;
    throw new LimitlineError('FILE', message, { cause: error });
  }
}

/**
 * Reasons for codes of disk errors while a ZIP file is unpacked. Packing the archive again, which the usual message advises, would not help
 * against these.
 */
const NO_ROOM: Record<string, string> = { ENOSPC: 'its disk is full', EDQUOT: 'this user may store no more there' };

const ZIP_SIGNATURES = ['PK\x03\x04', 'PK\x05\x06'];

/** Whether this is a file that begins as ZIP files do; false for a missing one. */
export async function isZip(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => null);
  if (!handle) return false;
  try {
    const isFile = (await handle.stat()).isFile();
    const { buffer, bytesRead } = isFile ? await handle.read(Buffer.alloc(4), 0, 4, 0) : { buffer: '', bytesRead: 0 };
    return bytesRead === 4 && ZIP_SIGNATURES.includes(buffer.toString('latin1'));
  } finally {
    await handle.close();
  }
}

type Unpacking = { signal: AbortSignal | undefined; room: () => Promise<number> };

async function unpack(path: string, dir: string, { signal, room }: Unpacking): Promise<void> {
  const zip = await openZip(path, LIMITS);
  // Bytes that may be written before the free space is read again. The ledger is often on the same disk, and a Redis that cannot write
  // stops.
  let leftBytes = 0;
  try {
    for await (const entry of zip.entries()) {
      signal?.throwIfAborted();
      if (!isDocument(entry)) continue;
      if (entry.fileName.split('/').length > MAX_DEPTH) {
        throw new Error(`${JSON.stringify(entry.fileName)} is more than ${MAX_DEPTH} folders deep`);
      }
      const to = join(dir, entry.fileName);
      // yauzl itself refuses absolute names and `..`. This check is a second defence.
      if (!to.startsWith(dir + sep))
        throw new Error(`${JSON.stringify(entry.fileName)} is outside the folder to unpack into`);
      if (entry.uncompressedSize > leftBytes) leftBytes = Math.min(await roomFor(entry, room), LOOK_EVERY_BYTES);
      leftBytes -= entry.uncompressedSize;
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await pipeline(await zip.read(entry), createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal });
    }
  } finally {
    zip.close();
  }
}

/** The disk's free space is read again after this many unpacked bytes, because other programs write, too. */
const LOOK_EVERY_BYTES = 64 * 1024 * 1024;

async function roomFor({ uncompressedSize }: Entry, room: () => Promise<number>): Promise<number> {
  const roomBytes = await room();
  if (roomBytes >= uncompressedSize) return roomBytes;
  throw Object.assign(new Error('no room is left'), { code: 'ENOSPC' });
}

const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/**
 * Whether an entry of a ZIP file is unpacked. Folders are not, since they are created with their files; nor are links and the files of
 * macOS itself.
 */
function isDocument({ fileName, externalFileAttributes }: Entry): boolean {
  const isLink = ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
  return !fileName.endsWith('/') && !isLink && !fileName.startsWith('__MACOSX/');
}

/**
 * If an archive has one top folder: moves its content up, so that lines may name files with or without the folder. Does
 * nothing if names would collide.
 *
 * @param dir the folder of the unpacked archive, which nobody else uses yet.
 */
async function liftTopFolder(dir: string): Promise<void> {
  const entries = (await readdir(dir, { withFileTypes: true })).filter(({ name }) => !isLitter(name));
  const [top] = entries;
  if (top === undefined || entries.length > 1 || !top.isDirectory()) return;
  const names = await readdir(join(dir, top.name));
  const taken = new Set((await readdir(dir)).map(foldedName));
  if (names.some((name) => taken.has(foldedName(name)))) return;
  for (const name of names) await rename(join(dir, top.name, name), join(dir, name));
  await rmdir(join(dir, top.name));
  // Names that begin with the top folder still work, through this link. Links are followed if they stay inside of the documents folder.
  await symlink('.', join(dir, top.name), 'dir');
}

/** Whether a file is one that operating systems add by themselves, such as `.DS_Store`. */
function isLitter(name: string): boolean {
  return name.startsWith('.') || ['thumbs.db', 'desktop.ini'].includes(name.toLowerCase());
}
