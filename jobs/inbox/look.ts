import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { constants, lstat, open, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/files/disk.ts';
import { shownName } from '../drafts/upload-names.ts';
import { documentsNameOf, isOfDecisions, kindOfName, ofSupplier, ofUnfinishedSupplier } from './dropped-names.ts';

/** An entry of the drop folder with the name of a file of buyers or of a supplier. */
export type Dropped = {
  /** The name in bytes, which may not be UTF-8. */
  raw: Buffer;
  /** The name as text. It is usable only if `isReadable`, that is, if the bytes are UTF-8. */
  name: string;
  isReadable: boolean;
  kind: 'file' | 'link' | 'folder' | 'other';
  sizeBytes: number;
  /** Device and inode: the file's identity under any name. */
  inode: string;
  /** A text that changes when somebody writes to the file. */
  version: string;
  /** When it was last written, in ms, by the clock of the disk's host. */
  writtenMs: number;
  /** The names of its documents' folder and ZIP file. Having both is a mistake. */
  documents: string[];
  /** The entries with the name of its supplier's file. Having two is a mistake. */
  suppliers: Dropped[];
  /** The first unfinished file with the name of its supplier's file, such as `q4.supplier.csv.part`. */
  growing: Growing | undefined;
};

type Growing = { name: string; inode: string; version: string };

/** The entries of a drop folder that are files of buyers or may become one. */
export type FolderLook = {
  buyers: Dropped[];
  /** Files of suppliers for which the drop folder has no file of buyers. */
  strays: Dropped[];
  /** Names of files that end in .txt. They are never taken. */
  texts: string[];
  /** Versions of unfinished files such as `q4.csv.part`, by inode. */
  unfinished: Map<string, string>;
};

/**
 * Reads the drop folder. Follows no links, and leaves out files that vanish meanwhile.
 *
 * @throws errors of the file system about the folder itself
 */
export async function lookInto(dir: string): Promise<FolderLook> {
  const names = await readdir(dir, { encoding: 'buffer' });
  const beside = new Map<string, string[]>();
  for (const name of names.filter((raw) => isUtf8(raw)).map(String)) {
    const key = asCompared(name);
    beside.set(key, [...(beside.get(key) ?? []), name]);
  }
  const growing = new Map<string, Growing>();
  const look: FolderLook = { buyers: [], strays: [], texts: [], unfinished: new Map() };
  for (const raw of names) {
    const text = raw.toString();
    const kind = kindOfName(text);
    if (kind === 'text') look.texts.push(shownName(text));
    if (kind === 'none' || kind === 'text') continue;
    const found = await lstat(pathOf(dir, raw), { bigint: true }).catch(gone);
    if (found === undefined) continue;
    if (kind === 'unfinished') {
      const file = { name: shownName(text), inode: inodeOf(found), version: versionOf(found) };
      look.unfinished.set(file.inode, file.version);
      const of = ofUnfinishedSupplier(text);
      if (of !== undefined) growing.set(asCompared(of), file);
    } else look[kind === 'supplier' ? 'strays' : 'buyers'].push(await describe({ dir, raw, text, found, beside }));
  }
  for (const one of look.buyers) {
    const isIts = ({ raw }: Dropped) =>
      asCompared(ofSupplier(raw.toString()) ?? '') === asCompared(documentsNameOf(one.raw.toString()));
    if (isOfDecisions(one.name)) continue;
    one.suppliers = look.strays.filter(isIts);
    one.growing = growing.get(asCompared(documentsNameOf(one.raw.toString())));
  }
  const theirs = new Set(look.buyers.flatMap(({ suppliers }) => suppliers));
  return { ...look, strays: look.strays.filter((one) => !theirs.has(one)) };
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
    documents:
      isReadable && !isOfDecisions(text) && ofSupplier(text) === undefined ? await documentsOf(dir, text, beside) : [],
    suppliers: [],
    growing: undefined,
  };
}

/** The folder and the ZIP file with the file's base name, however umlauts are encoded. */
async function documentsOf(dir: string, name: string, beside: Sight['beside']): Promise<string[]> {
  const own = asCompared(documentsNameOf(name));
  const named = [...(beside.get(own) ?? []), ...(beside.get(`${own}.zip`) ?? []), ...(beside.get(`${own}.ZIP`) ?? [])];
  const documents: string[] = [];
  for (const one of named) {
    const found = await lstat(join(dir, one)).catch(gone);
    // A link may lead anywhere, so its documents do not count.
    if (one.toLowerCase().endsWith('.zip') ? found?.isFile() : found?.isDirectory()) documents.push(one);
  }
  return documents;
}

/** A name as it is compared with others: macOS writes `ü` as two code points, others as one. */
const asCompared = (name: string): string => name.normalize('NFC');

/** A text that identifies a file and its version: it differs for another file, and after somebody wrote to the file. */
export const stampOf = ({ inode, version }: Pick<Dropped, 'inode' | 'version'>): string => `${inode} ${version}`;

/** The {@link stampOf} the file at this path; undefined where there is no file. */
export async function stampAt(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(gone);
  return found && stampOf({ inode: inodeOf(found), version: versionOf(found) });
}

const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
export const versionOf = ({ size, mtimeNs }: BigIntStats): string => `${size}:${mtimeNs}`;

/** The path of a file whose name may not be UTF-8. */
export function pathOf(dir: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${dir}/`), raw]);
}

/** A text that changes when somebody adds a document to the folder or writes to one. A ZIP file is one file. */
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

/** Sums over all files of a folder, since it may have a hundred thousand documents. */
async function folderVersion(path: string): Promise<string> {
  let [files, bytes, changes] = [0n, 0n, 0n];
  try {
    for await (const entry of await opendir(path, { recursive: true })) {
      const found = await lstat(join(entry.parentPath, entry.name), { bigint: true }).catch(gone);
      if (found === undefined) continue;
      files += 1n;
      bytes += found.isFile() ? found.size : 0n;
      // A sum and not a maximum: a copied file with an old time changes the sum, too.
      changes += found.mtimeNs + found.ino;
    }
  } catch (error) {
    gone(error);
  }
  return `${files}:${bytes}:${changes}`;
}

/** Why a settled file cannot be taken yet; nothing where it can. */
type Hindrance = 'empty' | 'locked' | undefined;

/** How many bytes at the end of a file are read to see a line break in any encoding: UTF-32 takes four. */
const LAST_BYTES = 4;

/**
 * Whether a file is readable and not empty, and whether a text ends with a line break. Otherwise its writer may have paused:
 * half of the last line could pass for a whole line with another amount.
 */
export async function glanceAt(
  path: Buffer,
  name: string,
): Promise<{ hindrance: Hindrance; endsWhole: boolean } | undefined> {
  // A link or FIFO that replaced the file at this moment is neither followed nor waited for.
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

/** Codes of a file that a Windows program has locked; over a network drive it is EBUSY. */
const LOCKED = ['EACCES', 'EPERM', 'EBUSY', 'ETXTBSY'];

/** Answers nothing for the error of a missing file; throws other errors. */
function gone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(systemCode(error))) return undefined;
  throw error;
}

/** How long a file must be unchanged before it is taken. Programs that write tables pause for a second or two at most. */
export const SETTLE_MS = 5_000;

/** How long a file must be unchanged that may be incomplete: a text without a final line break. */
export const DOUBTFUL_MS = 60_000;

/** Remembers versions of files, to know which have settled. */
export type SettlingFiles = ReturnType<typeof makeSettling>;

/** @param now a monotonic clock in ms. Times of files come from another host's clock and are only compared with each other */
export function makeSettling(now: () => number = () => performance.now()) {
  let known = new Map<string, { version: string; sinceMs: number }>();
  let before = known;
  return {
    /** Begins a pass. A file that is not reported in a pass is forgotten in the next. */
    begin(): void {
      before = known;
      known = new Map();
    },
    /**
     * Reports a file's version, and answers for how many more ms it must stay the same; 0 where it has settled.
     *
     * @param file its identity on the disk, independent of its name
     * @param version changes when the file is written to
     */
    left(file: string, version: string, settleMs: number): number {
      const last = before.get(file);
      const sinceMs = last?.version === version ? last.sinceMs : now();
      known.set(file, { version, sinceMs });
      return Math.max(0, sinceMs + settleMs - now());
    },
  };
}
