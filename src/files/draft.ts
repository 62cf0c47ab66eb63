import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileFault, systemCode } from './file-fault.ts';
import { keepRoom } from './free-bytes.ts';
import { MARK_PATTERN, markOfProcess } from './process-mark.ts';
import { sweepLeftBehind } from './sweep.ts';

/** A file that is written to its end, on the disk, and has no name yet that anybody looks for. */
export type FileDraft = {
  path: string;
  /** Of its content, in hex. */
  sha256: string;
  /**
   * Gives it its name in the same folder, all at once: nobody ever finds half of it there. Answers false where `replace` is
   * not set and something of that name is there.
   *
   * @throws LimitlineError `FILE`
   */
  putInPlace(target: string, replace: boolean): Promise<boolean>;
  /** Removes it, if it was not put in place. */
  drop(): Promise<void>;
};

type DraftOptions = {
  dir: string;
  /** What it is to be called, or nearly so. */
  name: string;
  /** Its permissions, before the user's umask. */
  mode?: number;
  /** Done when all of it is in the stream and the stream has ended. */
  write: (to: Writable) => Promise<void>;
};

/** Writes a small file that is this user's alone, all at once, in the place of one of its name. @throws LimitlineError `FILE` */
export async function putText(dir: string, name: string, text: string): Promise<void> {
  const write = (to: Writable) => new Promise<void>((done, fail) => void to.once('error', fail).end(text, done));
  await (await writeDraft({ dir, name, mode: 0o600, write })).putInPlace(join(dir, name), true);
}

/**
 * Writes a draft, which is gone again if that fails. Drafts of that name which killed processes left are removed.
 *
 * @throws LimitlineError `FILE` where the folder or the disk does not take it, and whatever `write` throws
 */
export async function writeDraft({ dir, name, mode = 0o666, write }: DraftOptions): Promise<FileDraft> {
  await sweepLeftBehind({ dir, names: draftsOf(name) });
  const path = join(dir, draftName(name, markOfProcess()));
  const drop = () => rm(path, { force: true }).catch(() => {});
  try {
    await writeInto(path, mode, write);
    const sha256 = await fileDigestOf(path);
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

/** The file is open before anything is asked of `write`: a stream that cannot open would say so when nobody listens yet. */
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

/** SHA-256 of a file's content, in hex. */
export async function fileDigestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  return digest.digest('hex');
}

/** What the operating system says, such as ENOSPC; Node's own codes and Redis' look otherwise. */
const SYSTEM = /^E[A-Z0-9]+$/;

const draftName = (name: string, mark: string) => `.${name}.${mark}.part`;
const draftsOf = (name: string) => new RegExp(`^\\.${RegExp.escape(name)}\\.${MARK_PATTERN}\\.part$`);

async function moveTo(path: string, target: string, replace: boolean): Promise<boolean> {
  if (replace) {
    await rename(path, target);
    return true;
  }
  try {
    // Unlike a rename, a link does not go over what came there in this moment.
    await link(path, target);
    await rm(path, { force: true });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  // Memory sticks and some network drives know no links.
  const isThere = await lstat(target).then(
    () => true,
    () => false,
  );
  if (!isThere) await rename(path, target);
  return !isThere;
}
