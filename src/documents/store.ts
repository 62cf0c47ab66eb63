import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../data-folder.ts';
import { LimitlineError } from '../errors.ts';
import { fileFault, systemCode } from '../files/file-fault.ts';
import { keepRoom } from '../files/free-bytes.ts';
import { MARK_PATTERN, markOfProcess } from '../files/process-mark.ts';
import { sweepLeftBehind } from '../files/sweep.ts';
import { syncFolder } from '../files/sync-folder.ts';
import type { Document } from './document.ts';

/** Copies of documents in the data folder, by the SHA-256 of their content: what was imported is what is sent. */
export type DocumentStore = {
  /**
   * Copies the document, unless its content is there already, and answers the digest in hex. When it answers, the
   * copy is on the disk and survives a power cut. The same file again, unchanged, is not read again.
   *
   * @throws LimitlineError `FILE` when it cannot be copied, or is no longer what `find` saw.
   */
  put(doc: Document): Promise<string>;
  /**
   * Where the copy lies.
   *
   * @param name what people call the document
   * @throws LimitlineError `NOT_FOUND` when this one copy is gone; `FILE` when the folder is out of reach, so that nobody can tell
   */
  open(sha256: string, name?: string): { path: string; sizeBytes: number };
};

/** @param dir the folder of the copies; made when the first is put, and then rid of what killed processes left in it. */
export function makeDocumentStore({ dir }: { dir: string }): DocumentStore {
  const done = new Map<string, Promise<string>>();
  let swept: Promise<void> | undefined;

  /** In 256 folders by the first two digits: no folder grows beyond what people and tools can list. */
  const pathOf = (sha256: string) => join(dir, sha256.slice(0, 2), sha256);

  async function copy(doc: Document): Promise<string> {
    const temporary = join(dir, `${markOfProcess()}-${randomUUID()}.part`);
    try {
      makeFolder(dir);
      swept ??= sweepLeftBehind({ dir, names: PART });
      await swept;
      const sha256 = await copyAndDigest(doc, temporary);
      const path = pathOf(sha256);
      if (makeFolder(dirname(path))) await syncFolder(dir);
      await rename(temporary, path);
      await syncFolder(dirname(path));
      return sha256;
    } catch (error) {
      // If this fails as well, the first failure is the one to tell of.
      await rm(temporary, { force: true }).catch(() => {});
      throw error instanceof LimitlineError ? error : fileFault(doc.path, `copied into ${dir}`, error);
    }
  }

  return {
    async put(doc) {
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
    open(sha256, name = sha256) {
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

/** A folder that is missing or empty is one whose disk is not mounted: copies are in folders of their own, which stay. */
function hasEntries(dir: string): boolean {
  try {
    return readdirSync(dir).length > 0;
  } catch {
    return false;
  }
}

/** Says that somebody has put it there just now, as a copy would: what is older may be removed where no row names it yet. */
async function isPutAgain(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => existsSync(path),
  );
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Some 2 MB; a document that many lines share comes up again soon. */
const MAX_REMEMBERED = 10_000;

/** A copy under way: the process that writes it, in older ones nothing, and a name of its own. */
const PART = new RegExp(`^(?:${MARK_PATTERN}-)?[0-9a-f-]{36}\\.part$`);

/** One pass over the file: the copy that is written is the one that is digested. */
async function copyAndDigest(doc: Document, temporary: string): Promise<string> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    createReadStream(doc.path),
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
    // Documents are confidential: for this user alone. `flush` is an fsync before the file is closed.
    createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return digest.digest('hex');
}

/** As of a file that another program has locked: it is worth another try. */
export function changed({ path }: Pick<Document, 'path'>): LimitlineError {
  const cause = Object.assign(new Error('it changed'), { code: 'EBUSY' });
  const message = `${path} changed while it was read; leave it alone until it is read again.`;
  return new LimitlineError('FILE', message, { cause });
}
