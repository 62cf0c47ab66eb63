import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileFault, systemCode } from './file-fault.ts';
import { keepRoom } from './free-bytes.ts';
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

/** Makes new and renamed entries of a folder durable on the disk. @throws the system's error */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
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
