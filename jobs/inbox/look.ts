import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { constants, lstat, open, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';
import { shownName } from '../drafts/upload-names.ts';
import { documentsNameOf, kindOfName } from './dropped-names.ts';

/** What lies in a drop folder under the name of a file of buyers. */
export type Dropped = {
  /** As the disk has it: it need not be UTF-8. */
  raw: Buffer;
  /** The name, fit to be shown, and what is read of it where it is UTF-8. */
  name: string;
  isReadable: boolean;
  kind: 'file' | 'link' | 'folder' | 'other';
  sizeBytes: number;
  /** Which file of the disk it is, whatever it is called. */
  inode: string;
  /** What changes when somebody writes to it. */
  version: string;
  /** When somebody did last, in ms, by the clock of whose disk it is. */
  writtenMs: number;
  /** The names of its folder of documents and its ZIP file; both are there by mistake only. */
  documents: string[];
};

/** All that lies in a drop folder, as far as it is or becomes a file of buyers. */
export type FolderLook = {
  buyers: Dropped[];
  /** Files that are still being written under another name, such as `q4.csv.part`: which file of the disk, and its version. */
  unfinished: Map<string, string>;
};

/**
 * Looks at what lies in a drop folder. No link is followed. What vanishes between two of its glances was never there.
 *
 * @throws what the file system says of the folder as a whole
 */
export async function lookInto(dir: string): Promise<FolderLook> {
  const names = await readdir(dir, { encoding: 'buffer' });
  const beside = new Map<string, string[]>();
  for (const name of names.filter((raw) => isUtf8(raw)).map(String)) {
    const key = asCompared(name);
    beside.set(key, [...(beside.get(key) ?? []), name]);
  }
  const look: FolderLook = { buyers: [], unfinished: new Map() };
  for (const raw of names) {
    const text = raw.toString();
    const kind = kindOfName(text);
    if (kind === 'none') continue;
    const found = await lstat(pathOf(dir, raw), { bigint: true }).catch(gone);
    if (found === undefined) continue;
    if (kind === 'unfinished') look.unfinished.set(inodeOf(found), versionOf(found));
    else look.buyers.push(await describe({ dir, raw, text, found, beside }));
  }
  return look;
}

type Sight = { dir: string; raw: Buffer; text: string; found: BigIntStats; beside: ReadonlyMap<string, string[]> };

async function describe({ dir, raw, text, found, beside }: Sight): Promise<Dropped> {
  const isReadable = isUtf8(raw);
  return {
    raw,
    name: shownName(text),
    isReadable,
    kind: found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'other',
    sizeBytes: Number(found.size),
    inode: inodeOf(found),
    version: versionOf(found),
    writtenMs: Number(found.mtimeMs),
    documents: isReadable ? await documentsOf(dir, text, beside) : [],
  };
}

/** The folder and the ZIP file that bear its name, whichever way the umlauts in it are written. */
async function documentsOf(dir: string, name: string, beside: Sight['beside']): Promise<string[]> {
  const own = asCompared(documentsNameOf(name));
  const named = [...(beside.get(own) ?? []), ...(beside.get(`${own}.zip`) ?? []), ...(beside.get(`${own}.ZIP`) ?? [])];
  const documents: string[] = [];
  for (const one of named) {
    const found = await lstat(join(dir, one)).catch(gone);
    // A link may lead anywhere: its documents are none that lie here.
    if (one.toLowerCase().endsWith('.zip') ? found?.isFile() : found?.isDirectory()) documents.push(one);
  }
  return documents;
}

/** macOS writes `ü` as two characters where others write one. */
const asCompared = (name: string): string => name.normalize('NFC');

export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
export const versionOf = ({ size, mtimeNs }: BigIntStats): string => `${size}:${mtimeNs}`;

/** The path of a file whose name need not be UTF-8. */
export function pathOf(dir: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${dir}/`), raw]);
}

/** What changes when somebody puts a document into the folder, or writes to one. A ZIP file is one file. */
export async function documentsVersion(dir: string, names: readonly string[]): Promise<string> {
  const versions: string[] = [];
  for (const name of names) {
    const path = join(dir, name);
    const found = await lstat(path, { bigint: true }).catch(gone);
    if (found?.isFile()) versions.push(`${inodeOf(found)}:${versionOf(found)}`);
    else if (found?.isDirectory()) versions.push(await folderVersion(path));
  }
  return versions.join(' ');
}

/** The newest change and the sizes of all in it, as numbers: a folder may have a hundred thousand documents. */
async function folderVersion(path: string): Promise<string> {
  let [files, bytes, changes] = [0n, 0n, 0n];
  try {
    for await (const entry of await opendir(path, { recursive: true })) {
      const found = await lstat(join(entry.parentPath, entry.name), { bigint: true }).catch(gone);
      if (found === undefined) continue;
      files += 1n;
      bytes += found.isFile() ? found.size : 0n;
      // A sum, since a file that was copied with its old time is newer than none.
      changes += found.mtimeNs + found.ino;
    }
  } catch (error) {
    gone(error);
  }
  return `${files}:${bytes}:${changes}`;
}

/** What of a file keeps it from being taken yet, besides that it may still change; nothing where nothing does. */
export type Hindrance = 'empty' | 'locked' | undefined;

/** How many bytes at the end of a file show whether its last line is whole: a line break in UTF-32. */
const LAST_BYTES = 4;

/**
 * Whether a file can be read, has anything in it, and whether a text ends with a line break. One that does not may be a file of
 * which the writer is busy with something else: half of its last line may read as a whole one, with another amount.
 */
export async function glanceAt(
  path: Buffer,
  name: string,
): Promise<{ hindrance: Hindrance; endsWhole: boolean } | undefined> {
  // Neither a link nor a FIFO that came in its place in this moment is waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error) => {
    if (LOCKED.includes(systemCode(error))) return null;
    return gone(error);
  });
  if (handle === undefined) return undefined;
  if (handle === null) return { hindrance: 'locked', endsWhole: true };
  try {
    const { size } = await handle.stat();
    if (size === 0) return { hindrance: 'empty', endsWhole: false };
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(LAST_BYTES),
      0,
      LAST_BYTES,
      Math.max(0, size - LAST_BYTES),
    );
    const isText = !name.toLowerCase().endsWith('.xlsx');
    return { hindrance: undefined, endsWhole: !isText || /[\r\n]\0*$/.test(buffer.toString('latin1', 0, bytesRead)) };
  } finally {
    await handle.close();
  }
}

/** Windows' programs lock what they write; over a network drive that is EBUSY. */
const LOCKED = ['EACCES', 'EPERM', 'EBUSY', 'ETXTBSY'];

/** What is not there any more is nothing; anything else is a fault. */
function gone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(systemCode(error))) return undefined;
  throw error;
}
