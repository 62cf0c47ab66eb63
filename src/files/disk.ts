import { createHash } from 'node:crypto';
import { createReadStream, type Dirent, statSync } from 'node:fs';
import { link, lstat, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LimitlineError, messageOf } from '../errors.ts';
import { MARK_PATTERN, markOfProcess, sweepLeftBehind } from './process-mark.ts';

/** A file that is completely written and synced, under a temporary name. */
export type FileDraft = {
  path: string;
  /** SHA-256 of the draft's content, in hex. */
  sha256: string;
  /**
   * Moves the draft to its final name in the same folder, atomically, so that nobody sees a partial file. Returns false if `replace` is
   * false and the name exists.
   *
   * @throws LimitlineError `FILE`
   */
  putInPlace(target: string, replace: boolean): Promise<boolean>;
  /** Removes the draft, unless it was put in place. */
  drop(): Promise<void>;
};

type DraftOptions = {
  dir: string;
  /** The final name that is intended; the draft's temporary name is made from it. */
  name: string;
  /** The file's permissions, from which the umask is taken away. */
  mode?: number;
  /** Writes the content. Resolves after the stream has ended. */
  write: (to: Writable) => Promise<void>;
};

/** Atomically writes a small file that only this user may read; replaces an old one. @throws LimitlineError `FILE` */
export async function putText(dir: string, name: string, text: string): Promise<void> {
  const write = (to: Writable) => new Promise<void>((done, fail) => void to.once('error', fail).end(text, done));
  await (await writeDraft({ dir, name, mode: 0o600, write })).putInPlace(join(dir, name), true);
}

/**
 * Writes a draft, and removes it if that fails. Also removes drafts of this name from killed processes.
 *
 * @throws LimitlineError `FILE` when the folder or the disk fails, and whatever `write` throws
 */
export async function writeDraft({ dir, name, mode = 0o666, write }: DraftOptions): Promise<FileDraft> {
  await sweepLeftBehind({ dir, names: draftsOf(name) });
  const path = join(dir, draftName(name, markOfProcess()));
  const drop = () => rm(path, { force: true }).catch(() => {});
  try {
    await writeInto(path, mode, write);
    const sha256 = await sha256Of(path);
    const putInPlace = async (target: string, replace: boolean) => {
      try {
        return await moveTo(path, target, replace);
      } catch (error) {
        throw fileFault(target, 'written', error);
      }
    };
    return { path, sha256, putInPlace, drop };
  } catch (error) {
    await drop();
    throw SYSTEM.test(systemCode(error)) ? fileFault(join(dir, name), 'written', error) : error;
  }
}

/**
 * Writes the content into a new file. The file is opened before `write` starts, since an error of opening would otherwise come when nobody
 * listens yet.
 */
async function writeInto(path: string, mode: number, write: DraftOptions['write']): Promise<void> {
  const file = (await open(path, 'wx', mode)).createWriteStream({ flush: true });
  const stream = new PassThrough();
  try {
    await Promise.all([pipeline(stream, keepRoom(dirname(path)), file), write(stream)]);
  } finally {
    stream.destroy();
    file.destroy();
  }
}

/**
 * The SHA-256 of a file's content in hex, which is also the name of its copy in the data folder.
 *
 * @param bytes how many bytes from the start to read; all by default
 */
export async function sha256Of(path: string, bytes = Number.POSITIVE_INFINITY): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { end: bytes - 1 }), digest);
  return digest.digest('hex');
}

/** The SHA-256 of a file that a person names; undefined for a pipe, which can be read only once. */
export async function givenFileDigest(path: string): Promise<string | undefined> {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? sha256Of(path) : undefined;
}

/** Makes a file, or the new and renamed entries of a folder, durable on the disk. @throws the system's error */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The form of an error code of the operating system, such as ENOSPC. Codes of Node and Redis have another form. */
const SYSTEM = /^E[A-Z0-9]+$/;

const draftName = (name: string, mark: string) => `.${name}.${mark}.part`;
const draftsOf = (name: string) => new RegExp(`^\\.${RegExp.escape(name)}\\.${MARK_PATTERN}\\.part$`);

async function moveTo(path: string, target: string, replace: boolean): Promise<boolean> {
  if (replace) {
    await rename(path, target);
    return true;
  }
  try {
    // Unlike a rename, a link never replaces a file that appears at the same moment.
    await link(path, target);
    await rm(path, { force: true });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  // Memory sticks and some network drives do not support links, so the draft is renamed there.
  const isThere = await lstat(target).then(
    () => true,
    () => false,
  );
  if (!isThere) await rename(path, target);
  return !isThere;
}

/** The operating system's code of a file system error; '' if it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * A `FILE` error that names the file, the failed action, the reason and the remedy.
 *
 * @param action the failed action: `read`, `written`, `copied into X`
 */
export function fileFault(path: string, action: string, error: unknown): LimitlineError {
  const code = systemCode(error);
  const reason =
    (action === 'written' && WRITING[code]) || REASONS[code] || `${messageOf(error)}; check the disk and try again`;
  return new LimitlineError('FILE', `${path} cannot be ${action}: ${reason}.`, { cause: error });
}

/** A folder's entries; empty if it is missing. @throws LimitlineError `FILE` when the folder cannot be read */
export async function entriesIn(dir: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch((error) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFault(dir, 'read', error);
  });
}

/** Words for error codes that have another meaning when a new file is written: they mean that its folder is missing. */
const WRITING: Record<string, string> = {
  ENOENT: 'there is no such folder; make it, or name another',
  ENOTDIR: 'there is no such folder; make it, or name another',
};

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EISDIR: 'it is a folder; name a file in it',
  ENOTREG: 'it is a pipe or a device; put a file there',
  EACCES: 'this user has no permission; change its permissions',
  EPERM: 'this user has no permission; change its permissions',
  ENOSPC: 'the disk is full; make room and try again',
  EDQUOT: "this user's share of the disk is full; make room and try again",
  EFBIG: 'it would be larger than a file may be here; raise the limit (ulimit -f)',
  EROFS: 'nothing can be written to that disk; name a place on another disk',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
};

/** Bytes that stay free on the disk when files are written for people: the ledger may be on the same disk, and a full disk stops it. */
export const RESERVE_BYTES = 512 * 1024 * 1024;

/** The share of a small disk, such as one in memory, that stays free; {@link RESERVE_BYTES} would be too much of it. */
const RESERVE_SHARE = 0.1;

/** The bytes that this user may still write on the folder's disk. */
export async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** The bytes that this user may write on the folder's disk without touching the reserve. */
export async function roomBytesOf(dir: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** The disk's free space is read again after this many written bytes, because other programs write, too. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** Bytes of a file up to which the free space is not checked: small records of state must be written even on a nearly full disk. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Passes bytes on to a file in a folder while its disk has room beyond the reserve. Otherwise it fails as a full disk
 * does, and the writer removes its partial file. A disk that is really full would stop a ledger on it.
 */
export function keepRoom(dir: string, room: (dir: string) => Promise<number> = roomBytesOf) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let unseen = LOOK_EVERY_BYTES - SMALL_BYTES;
    for await (const chunk of chunks) {
      unseen += chunk.length;
      if (unseen >= LOOK_EVERY_BYTES) {
        unseen = chunk.length;
        if ((await room(dir)) < chunk.length) {
          throw Object.assign(new Error('the rest of the disk is left free'), { code: 'ENOSPC' });
        }
      }
      yield chunk;
    }
  };
}
