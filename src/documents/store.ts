import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../data-folder.ts';
import { LimitlineError } from '../errors.ts';
import { fileFault, keepRoom, syncToDisk, systemCode } from '../files/disk.ts';
import { MARK_PATTERN, markOfProcess, sweepLeftBehind } from '../files/process-mark.ts';
import { openRegular } from '../files/regular-file.ts';
import type { Document } from './folder.ts';

/** Copies of documents in the data folder, named by their SHA-256, so that exactly the imported content is sent. */
export type DocumentStore = ReturnType<typeof makeDocumentStore>;

/**
 * @param dir the folder of the copies. The first `put` creates it and removes leftovers of killed processes.
 * @param followsLinks whether the paths of documents may have links. Documents of a folder have none (folder.ts); a file that a person names may.
 */
export function makeDocumentStore({ dir, followsLinks = false }: { dir: string; followsLinks?: boolean }) {
  const done = new Map<string, Promise<string>>();
  let swept: Promise<void> | undefined;

  /** The path of a copy. Its sub-folder has the digest's first two digits: 256 sub-folders keep each small enough to list. */
  const pathOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256);

  async function copy(doc: Document): Promise<string> {
    const temporary = join(dir, `${markOfProcess()}-${randomUUID()}.part`);
    try {
      makeFolder(dir);
      swept ??= sweepLeftBehind({ dir, names: PART });
      await swept;
      const sha256 = await copyAndDigest(await openFound(doc, followsLinks), doc, temporary);
      const path = pathOf(sha256);
      if (makeFolder(dirname(path))) await syncToDisk(dir);
      await rename(temporary, path);
      await syncToDisk(dirname(path));
      return sha256;
    } catch (error) {
      // If the removal fails too, the first error is the one to report.
      await rm(temporary, { force: true }).catch(() => {});
      throw error instanceof LimitlineError ? error : fileFault(doc.path, `copied into ${dir}`, error);
    }
  }

  return {
    /**
     * Copies the document unless its content exists, and returns its SHA-256 in hex. On return, the copy is on the disk
     * and survives a power cut. An unchanged file is not read again.
     *
     * @throws LimitlineError `FILE` when the copy fails, or the file has changed since `find`.
     */
    async put(doc: Document): Promise<string> {
      const found = await stat(doc.path).catch((error: unknown) => {
        throw fileFault(doc.path, 'read', error);
      });
      if (found.size !== doc.sizeBytes) throw changed(doc);
      const version = `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
      const known = await done.get(version);
      if (known && (await isPutAgain(pathOf(known)))) return known;
      const copying = copy(doc);
      if (done.size >= MAX_REMEMBERED) done.delete(done.keys().next().value ?? '');
      done.set(version, copying);
      copying.catch(() => done.delete(version));
      return copying;
    },
    /**
     * The path of the copy.
     *
     * @param name the document's name for people
     * @throws LimitlineError `NOT_FOUND` when this copy is gone; `FILE` when the whole folder is unreachable
     */
    open(sha256: string, name: string = sha256): { path: string; sizeBytes: number } {
      const path = pathOf(sha256);
      try {
        if (SHA256.test(sha256)) return { path, sizeBytes: statSync(path).size };
      } catch (error) {
        if (systemCode(error) !== 'ENOENT' || !hasEntries(dir)) throw fileFault(dir, 'read', error);
      }
      const message = `No document ${name} is kept in ${dir} any more; import the file that names it again.`;
      throw new LimitlineError('NOT_FOUND', message);
    },
  };
}

/** Whether the folder has any entries. Without any its disk is not mounted, since sub-folders are never removed. */
function hasEntries(dir: string): boolean {
  try {
    return readdirSync(dir).length > 0;
  } catch {
    return false;
  }
}

/**
 * Renews the time of an existing copy, as writing it again would; false if there is no copy. Old copies of documents that no row needs are
 * removed by their time.
 */
async function isPutAgain(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => existsSync(path),
  );
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Most files that are remembered as copied, some 2 MB. Lines that share a document are usually close together. */
const MAX_REMEMBERED = 10_000;

/** The name of an unfinished copy: the mark of its process, which copies of older versions lack, and a random part. */
const PART = new RegExp(`^(?:${MARK_PATTERN}-)?[0-9a-f-]{36}\\.part$`);

/**
 * Copies a document and answers the SHA-256, in hex, of exactly the bytes that were written.
 *
 * @throws LimitlineError `FILE` if the document has changed
 */
async function copyAndDigest(file: FileHandle, doc: Document, temporary: string): Promise<string> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    file.createReadStream(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        if (sizeBytes > doc.sizeBytes) throw changed(doc);
        digest.update(chunk);
        yield chunk;
      }
      if (sizeBytes !== doc.sizeBytes) throw changed(doc);
    },
    keepRoom(dirname(temporary)),
    // Documents are confidential: only this user may read them. `flush` syncs the file before closing it.
    createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return digest.digest('hex');
}

/**
 * Opens a document that was found. A link that has taken the place of the file since, or of a folder above it, may lead out of the folder of
 * documents.
 *
 * @throws LimitlineError `FILE` if the document has changed
 */
async function openFound(doc: Document, followsLinks: boolean): Promise<FileHandle> {
  const file = await openRegular(doc.path);
  try {
    if (followsLinks) return file;
    const [opened, there] = [await file.stat(), await stat(doc.path)];
    const isThere = opened.dev === there.dev && opened.ino === there.ino;
    if (!isThere || (await realpath(doc.path)) !== doc.path) throw changed(doc);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The error for a document that changed while it was read. Its code EBUSY, that of a locked file, marks the fault as one that may pass. */
export function changed({ path }: Pick<Document, 'path'>): LimitlineError {
  const cause = Object.assign(new Error('it changed'), { code: 'EBUSY' });
  const message = `${path} changed while it was read; leave it alone until it is read again.`;
  return new LimitlineError('FILE', message, { cause });
}

export type StoreLooks = ReturnType<typeof makeStoreLooks>;

/** Reads a store of copies (store.ts) without changing it. @param dir the store's folder, which may be missing */
export function makeStoreLooks({ dir }: { dir: string }) {
  const pathOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256);
  return {
    pathOf,

    /** Whether a copy with this digest exists. */
    async has(sha256: string): Promise<boolean> {
      return SHA256.test(sha256) && (await stat(pathOf(sha256)).catch(() => undefined)) !== undefined;
    },

    /**
     * Reads a copy completely, to compare its content with its name.
     *
     * @throws LimitlineError `FILE` when the copy cannot be read, or the signal's reason when it is aborted
     */
    async check(sha256: string, signal: AbortSignal): Promise<'whole' | 'damaged' | 'missing'> {
      if (!(await this.has(sha256))) return 'missing';
      const digest = createHash('sha256');
      try {
        await pipeline(createReadStream(pathOf(sha256)), digest, { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw fileFault(pathOf(sha256), 'read', error);
      }
      return digest.digest('hex') === sha256 ? 'whole' : 'damaged';
    },

    /** The names of all copies, those of one sub-folder at a time. */
    async *names(): AsyncGenerator<string[]> {
      for (const folder of await readdir(dir).catch(() => [])) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        const names = await readdir(join(dir, folder)).catch(() => []);
        yield names.filter((name) => SHA256.test(name));
      }
    },

    /** When the copy was written, in ms since 1970; undefined if it is gone. */
    async writtenMs(sha256: string): Promise<number | undefined> {
      return (await stat(pathOf(sha256)).catch(() => undefined))?.mtimeMs;
    },
  };
}
