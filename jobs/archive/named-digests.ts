import type { Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { entriesIn, fileFault } from '../../src/files/disk.ts';
import { openRegular } from '../../src/files/regular-file.ts';
import { PART, REST, ROWS } from './archive-files.ts';

/** SHA-256 in hexadecimal, by which imported files and documents are named everywhere. */
const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const DIGEST_LENGTH = 64;

/** The files of an archive that contain digests: rows, and other keys (archive-files.ts). */
const NAMING: readonly string[] = [ROWS, REST];

/**
 * The files with digests of all complete archives below a folder.
 *
 * @param except folders to leave out
 */
export async function* namingFiles(dir: string, except: readonly string[] = []): AsyncGenerator<string> {
  if (except.includes(dir)) return;
  for (const entry of await entriesIn(dir)) {
    const path = join(dir, entry.name);
    const is = await kindOf(entry, path);
    if (is.isDirectory()) yield* namingFiles(path, except);
    // An incomplete archive is left out, since its rows are still in Redis. A portfolio's own folder may have a name that ends so, too.
    else if (is.isFile() && NAMING.includes(entry.name) && !dir.endsWith(PART)) yield path;
  }
}

/**
 * The digests in a file of {@link namingFiles}, piece by piece. A digest may come twice.
 *
 * @throws LimitlineError `FILE` where it cannot be read: then it is unknown what it names
 */
export async function* namedDigestsIn(path: string): AsyncGenerator<string[]> {
  let rest = '';
  try {
    for await (const piece of await unpacked(path)) {
      // Digests are ASCII, so one byte a character keeps them intact in any surrounding text.
      const text = rest + (piece as Buffer).toString('latin1');
      yield text.match(DIGEST) ?? [];
      rest = text.slice(-(DIGEST_LENGTH + 1));
    }
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** The depth of archives below `archive`: account, portfolio, id. */
const FOLDERS = 3;

/**
 * Calls `onName` with every digest in one file of each archive, of all accounts, so that files which only archived rows name
 * count as named.
 *
 * @param archives.dir the folder of all archives, if it exists
 * @param onName answers whether to continue
 * @returns false if some archive could not be read: then no file may be removed as unnamed
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
    // An archive that is being written is in Redis, too.
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

/** The names of imported files in an archive. Each import is a JSON text among the archive's other keys. */
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
    yield* createInterface({ input: await unpacked(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** The kind of a folder's entry. A symbolic link counts as what it leads to, because folders may be on another disk. */
async function kindOf(entry: Dirent, path: string): Promise<Pick<Dirent, 'isDirectory' | 'isFile'>> {
  return entry.isSymbolicLink() ? stat(path).catch(() => entry) : entry;
}

/** The uncompressed content of an archive's file. An error of the file or of its decompression is thrown where the content is read. */
async function unpacked(path: string): Promise<NodeJS.ReadableStream> {
  return pipeline((await openRegular(path)).createReadStream(), createGunzip(), () => {});
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
