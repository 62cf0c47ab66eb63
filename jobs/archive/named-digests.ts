import { createReadStream, type Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { entriesIn, fileFault } from '../../src/files/file-fault.ts';
import { REST, ROWS } from './archive-files.ts';
import { PART } from './archive-folders.ts';

/** SHA-256, in hexadecimal: by it both an imported file and a document are named, wherever they are. */
const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const DIGEST_LENGTH = 64;

/** What of an archive names files of the data folder: its rows and its other keys (archive-files.ts), a line each. */
const NAMING: readonly string[] = [ROWS, REST];

/**
 * The files below a folder that name others, of archives that are written to their end.
 *
 * @param except folders that are left out, with all below them
 */
export async function* namingFiles(dir: string, except: readonly string[] = []): AsyncGenerator<string> {
  if (except.includes(dir)) return;
  for (const entry of await entriesIn(dir)) {
    const path = join(dir, entry.name);
    // The rows of one that is still being written are in Redis.
    if (entry.name.endsWith(PART)) continue;
    const is = await kindOf(entry, path);
    if (is.isDirectory()) yield* namingFiles(path, except);
    else if (is.isFile() && NAMING.includes(entry.name)) yield path;
  }
}

/**
 * The pieces of such a file in which digests stand, each with all of them whole; one may come twice.
 *
 * @throws LimitlineError `FILE` where it cannot be read: then it is not known what it names
 */
export async function* namedDigestsIn(path: string): AsyncGenerator<string[]> {
  let rest = '';
  try {
    for await (const piece of unpacked(path)) {
      // Digests are ASCII: one byte a character keeps them whole, whatever stands around them.
      const text = rest + (piece as Buffer).toString('latin1');
      yield text.match(DIGEST) ?? [];
      rest = text.slice(-(DIGEST_LENGTH + 1));
    }
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** Folders below `archive`: account, portfolio, id. */
const FOLDERS = 3;

/**
 * Tells of every digest that stands in one file of each archive, of whatever account and portfolio: what only archived rows name is named
 * all the same.
 *
 * @param archives.dir the folder of all archives, which need not be there
 * @param onName answers whether more are to be told
 * @returns whether every archive could be read to its end, as far as anybody wanted to hear of it; who removes what nobody names must
 *   not go by an answer that lacks some
 * @throws the signal's reason when it is aborted
 */
export async function namesInArchives(
  { dir, file, signal }: { dir: string; file: string; signal: AbortSignal },
  onName: (sha256: string) => boolean,
): Promise<boolean> {
  let isWhole = true;
  const isUnread = () => {
    isWhole = false;
  };
  for await (const folder of foldersBelow(dir, FOLDERS, isUnread)) {
    // What is just being written is in Redis, too.
    if (folder.endsWith(PART)) continue;
    try {
      for await (const digests of namedDigestsIn(join(folder, file))) {
        signal.throwIfAborted();
        if (!digests.every(onName)) return isWhole;
      }
    } catch {
      signal.throwIfAborted();
      isWhole = false;
    }
  }
  return isWhole;
}

async function* foldersBelow(dir: string, levels: number, isUnread: () => void): AsyncGenerator<string> {
  const entries = await entriesIn(dir).catch(() => {
    isUnread();
    return [];
  });
  for (const entry of entries) {
    const path = join(dir, entry.name);
    const is = await kindOf(entry, path);
    if (!is.isDirectory()) continue;
    if (levels === 1) yield path;
    else yield* foldersBelow(path, levels - 1, isUnread);
  }
}

/** What files are called that an archive tells of as imported: each import is JSON in a text of its other keys. */
export async function fileNamesOf(archive: string): Promise<string[]> {
  const names: string[] = [];
  for await (const path of namingFiles(archive)) {
    if (basename(path) !== REST) continue;
    for await (const line of linesOf(path)) {
      if (line.includes('fileName')) names.push(...fileNamesIn(JSON.parse(line)));
    }
  }
  return names;
}

/** The lines of an archive's file. @throws LimitlineError `FILE` */
export async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: unpacked(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** Folders may lie on another disk, behind a link. */
async function kindOf(entry: Dirent, path: string): Promise<Pick<Dirent, 'isDirectory' | 'isFile'>> {
  return entry.isSymbolicLink() ? stat(path).catch(() => entry) : entry;
}

/** Whatever fails comes out where it is read. */
function unpacked(path: string): NodeJS.ReadableStream {
  return pipeline(createReadStream(path), createGunzip(), () => {});
}

function fileNamesIn(texts: unknown): string[] {
  const found = Array.isArray(texts) ? texts.filter((text) => typeof text === 'string' && text.startsWith('{')) : [];
  return found.flatMap((text) => {
    try {
      const { fileName } = JSON.parse(text) as { fileName?: unknown };
      return typeof fileName === 'string' ? [fileName] : [];
    } catch {
      return [];
    }
  });
}
