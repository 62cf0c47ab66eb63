import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rmdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry } from 'yauzl';
import { LimitlineError, messageOf } from '../errors.ts';
import { systemCode } from '../files/file-fault.ts';
import { roomBytesOf } from '../files/free-bytes.ts';
import { openZip, type ZipLimits } from '../files/zip.ts';
import { type FolderWords, folderWordsOf } from './folder.ts';
import { foldedName } from './names.ts';
import { makeUnpackedFolder, sweepUnpackedFolders } from './unpacked-folders.ts';

/** Where documents are looked up: a folder that is there, or one made of a ZIP file until `close`, and what people know it by. */
type DocumentsPlace = { dir: string; words: FolderWords; close(): Promise<void> };

/** Deeper folders than people make; each of them would be one on the disk. */
const MAX_DEPTH = 32;

/** More documents than any portfolio we know of has; beyond it, a folder serves better than one file. */
const LIMITS: ZipLimits = { entries: 20_000, totalBytes: 4 * 1024 ** 3 };

/**
 * Takes the folder as it is, and unpacks a ZIP file beside the system's other temporary files, for this user alone.
 * Nothing is written outside of that folder, links are left out, and an archive that unpacks to more than it may is
 * given up. What is unpacked is gone when the process ends, also by a signal that it listens to; what a killed
 * one left is removed here. Where all of it lies in one folder, that need not be named.
 *
 * @param room how many bytes may be written to the disk that it is unpacked to; asked of the system if it is left out
 * @throws LimitlineError `FILE` when the ZIP file cannot be read, or is larger unpacked than it may be; `STOPPED`.
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

/** Packing it again would not help. */
const NO_ROOM: Record<string, string> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'this user may store no more there',
};

const ZIP_SIGNATURES = ['PK\x03\x04', 'PK\x05\x06'];

async function isZip(path: string): Promise<boolean> {
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
  // The disk is often that of the ledger, and a Redis that writes each answer down ends when it cannot.
  let leftBytes = 0;
  try {
    for await (const entry of zip.entries()) {
      signal?.throwIfAborted();
      if (!isDocument(entry)) continue;
      if (entry.fileName.split('/').length > MAX_DEPTH) {
        throw new Error(`${JSON.stringify(entry.fileName)} is more than ${MAX_DEPTH} folders deep`);
      }
      const to = join(dir, entry.fileName);
      // yauzl refuses absolute names and `..` itself; what leads out all the same is not ours to write.
      if (!to.startsWith(dir + sep)) throw new Error(`${JSON.stringify(entry.fileName)} leads out of it`);
      if (entry.uncompressedSize > leftBytes) leftBytes = Math.min(await roomFor(entry, room), LOOK_EVERY_BYTES);
      leftBytes -= entry.uncompressedSize;
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await pipeline(await zip.read(entry), createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal });
    }
  } finally {
    zip.close();
  }
}

/** The disk is asked again after so much: others write to it as well. */
const LOOK_EVERY_BYTES = 64 * 1024 * 1024;

async function roomFor({ uncompressedSize }: Entry, room: () => Promise<number>): Promise<number> {
  const roomBytes = await room();
  if (roomBytes >= uncompressedSize) return roomBytes;
  throw Object.assign(new Error('no room is left'), { code: 'ENOSPC' });
}

const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** Folders are made as files need them; links, and what macOS adds for itself, are no documents. */
function isDocument({ fileName, externalFileAttributes }: Entry): boolean {
  const isLink = ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
  return !fileName.endsWith('/') && !isLink && !fileName.startsWith('__MACOSX/');
}

/**
 * Where all of an archive lies in one folder, as when a folder was packed and not what is in it: puts what is in it beside
 * it, so that lines may name files with the folder and without. Nothing is done where that would not be clear.
 *
 * @param dir the folder that the archive was unpacked to; nobody else knows of it yet.
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
  // Names that begin with the folder lead back to where it lies: documents are found through links that stay inside.
  await symlink('.', join(dir, top.name), 'dir');
}

/** What systems leave beside the files without being asked. */
function isLitter(name: string): boolean {
  return name.startsWith('.') || ['thumbs.db', 'desktop.ini'].includes(name.toLowerCase());
}
