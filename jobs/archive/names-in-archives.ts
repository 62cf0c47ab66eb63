import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { systemCode } from '../../src/files/file-fault.ts';

/** Names of copies in the data folder: the SHA-256 of what is in them. */
const NAME = /[0-9a-f]{64}/g;
const NAME_CHARACTERS = 64;

/** Folders below `archive`: account, portfolio, id. */
const FOLDERS = 3;

export type ArchiveNames = {
  /** The folder of all archives, which need not be there. */
  dir: string;
  /** The file of each archive in which the names stand. */
  file: string;
  signal: AbortSignal;
};

/**
 * Tells of every name of a copy that stands in archives, of whatever account and portfolio: what only archived rows name is named all
 * the same. Files are read as streams, and not taken apart: a name is 64 hexadecimal digits, wherever they stand.
 *
 * @param onName answers whether more are to be told
 * @returns whether every archive could be read to its end, as far as anybody wanted to hear of it; who removes what nobody names must
 *   not go by an answer that lacks some
 * @throws the signal's reason when it is aborted
 */
export async function namesInArchives(
  { dir, file, signal }: ArchiveNames,
  onName: (sha256: string) => boolean,
): Promise<boolean> {
  let isWhole = true;
  const isUnread = () => {
    isWhole = false;
  };
  for await (const folder of foldersBelow(dir, FOLDERS, isUnread)) {
    // What is just being written is in Redis, too.
    if (folder.endsWith('.part')) continue;
    try {
      if (!(await tellNames(join(folder, file), onName, signal))) return isWhole;
    } catch {
      signal.throwIfAborted();
      isWhole = false;
    }
  }
  return isWhole;
}

async function* foldersBelow(dir: string, levels: number, isUnread: () => void): AsyncGenerator<string> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error) => {
    if (systemCode(error) !== 'ENOENT') isUnread();
    return [];
  });
  for (const entry of entries) {
    const path = join(dir, entry.name);
    // Folders may lie on another disk, behind a link.
    const is = entry.isSymbolicLink() ? await stat(path).catch(() => entry) : entry;
    if (!is.isDirectory()) continue;
    if (levels === 1) yield path;
    else yield* foldersBelow(path, levels - 1, isUnread);
  }
}

/** Answers whether more are to be told. */
async function tellNames(path: string, onName: (sha256: string) => boolean, signal: AbortSignal): Promise<boolean> {
  let wantsMore = true;
  await pipeline(
    createReadStream(path),
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      let rest = '';
      for await (const chunk of chunks) {
        const text = rest + chunk.toString('latin1');
        for (const [name] of text.matchAll(NAME)) {
          wantsMore = onName(name);
          if (!wantsMore) return;
        }
        // A name may stand in two chunks.
        rest = text.slice(-(NAME_CHARACTERS - 1));
      }
    },
    { signal },
  );
  return wantsMore;
}
