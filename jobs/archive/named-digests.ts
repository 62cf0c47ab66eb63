import { createReadStream, type Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { entriesIn, fileFault } from '../../src/files/file-fault.ts';
import { REST, ROWS } from './archive-files.ts';
import { PART } from './archive-folders.ts';

/** A SHA-256 digest in hexadecimal: the name of an imported file or of a document. */
const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const DIGEST_LENGTH = 64;

/** The files of an archive that name files of the data folder: its rows and its other keys (archive-files.ts). */
const NAMING: readonly string[] = [ROWS, REST];

/**
 * Finds the files below a folder that name other files, in archives that are completely written.
 *
 * @param except folders that are skipped, with everything below them
 */
export async function* namingFiles(dir: string, except: readonly string[] = []): AsyncGenerator<string> {
  if (except.includes(dir)) return;
  for (const entry of await entriesIn(dir)) {
    const path = join(dir, entry.name);
    // An archive that is still being written has its rows in Redis.
    if (entry.name.endsWith(PART)) continue;
    const is = await kindOf(entry, path);
    if (is.isDirectory()) yield* namingFiles(path, except);
    else if (is.isFile() && NAMING.includes(entry.name)) yield path;
  }
}

/**
 * Yields the digests in such a file, piece by piece. No digest is cut in two; one may come twice.
 *
 * @throws LimitlineError `FILE` when the file cannot be read, so that it is unknown what it names
 */
export async function* digestsOf(path: string): AsyncGenerator<string[]> {
  let rest = '';
  try {
    for await (const piece of unpacked(path)) {
      // Digests are ASCII. Reading one byte as one character keeps them intact, whatever text is around them.
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
 * Reports every digest in one file of each archive, in all accounts and portfolios: a file that only archived rows name counts as named.
 *
 * @param archives.dir the folder of all archives, which need not be there
 * @param onName returns whether more digests are wanted
 * @returns whether every archive was read to the end, or as far as `onName` wanted. When false, some names may be missing, so nothing may
 *   be deleted for having no name
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
    // An archive that is still being written is in Redis, too.
    if (folder.endsWith(PART)) continue;
    try {
      for await (const digests of digestsOf(join(folder, file))) {
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

/** The names of the files that an archive lists as imported. Each import is JSON text in one of its other keys. */
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

/** A folder may be a link to another disk. */
async function kindOf(entry: Dirent, path: string): Promise<Pick<Dirent, 'isDirectory' | 'isFile'>> {
  return entry.isSymbolicLink() ? stat(path).catch(() => entry) : entry;
}

/** Every error appears in the returned stream. */
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
