import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline as pipe, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { fileFault, keepRoom, systemCode } from '../../src/files/disk.ts';
import { openRegular } from '../../src/files/regular-file.ts';
import type { FileFacts } from './manifest.ts';

/**
 * The files of an archive: results for people to read; rows, one a line; and the portfolio's other Redis keys, in pieces
 * (archive-lines.lua).
 */
export const RESULTS = 'results.csv.gz';
export const ROWS = 'rows.ndjson.gz';
export const REST = 'rest.ndjson.gz';

export const ARCHIVE_FILES = [RESULTS, ROWS, REST] as const;
export type ArchiveFile = (typeof ARCHIVE_FILES)[number];

/** The permissions of an archive's files. Only the owner may read them, because they contain all that is known of buyers. */
const FILE_MODE = 0o600;

/** The compression level of an archive's files: three times as fast as the best level, with files a tenth larger. */
const GZIP_LEVEL = 1;

/** The most lines and bytes that one Redis command writes, so that other clients of Redis need not wait for long. */
const BATCH_LINES = 50;
const BATCH_BYTES = 256 * 1024;

/** The size of the chunks for reading and compressing, in bytes: larger ones take memory, smaller ones time. */
const PIECE_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;

/**
 * Writes one file of an archive.
 *
 * @param write writes the uncompressed content to the stream and ends it
 * @throws LimitlineError `FILE` where the disk fails, and whatever `write` throws
 */
export async function writeArchiveFile(
  dir: string,
  name: ArchiveFile,
  write: (to: Writable) => Promise<void>,
): Promise<FileFacts> {
  const path = join(dir, name);
  const [plain, packed] = [makeMeter(), makeMeter()];
  const content = new PassThrough({ highWaterMark: PIECE_BYTES });
  const faults: unknown[] = [];
  const note = (error: unknown) => {
    faults.push(error);
    content.destroy(error instanceof Error ? error : undefined);
  };
  const file = await open(path, 'wx', FILE_MODE).catch((error) => {
    throw fileFault(path, 'written', error);
  });
  const toDisk = file.createWriteStream({ flush: true });
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: PIECE_BYTES });
  const written = pipeline(content, plain.meter, gzip, keepRoom(dir), packed.meter, toDisk).catch(note);
  await write(content).catch(note);
  await written;
  if (faults.length > 0) {
    // When one stream fails, the other streams fail, too. Of all their errors, one of the disk explains most.
    const disk = faults.find((error) => SYSTEM.test(systemCode(error)));
    throw disk === undefined ? faults[0] : fileFault(path, 'written', disk);
  }
  const { bytes: plainBytes, sha256: plainSha256, lines } = plain.read();
  const { bytes, sha256 } = packed.read();
  return { name, bytes, sha256, plainBytes, plainSha256, lines };
}

/**
 * Reads the content of an archive's file. Only after the last piece is it known whether the file is intact: until then, do
 * nothing that cannot be undone.
 *
 * @throws LimitlineError `FILE` where the file is missing, unreadable or changed
 */
export async function* readArchiveFile(dir: string, facts: FileFacts): AsyncGenerator<Buffer> {
  const path = join(dir, facts.name);
  const [plain, packed] = [makeMeter(), makeMeter()];
  try {
    const file = (await openRegular(path)).createReadStream({ highWaterMark: PIECE_BYTES });
    // An error of any of these streams is thrown where the last stream is read.
    pipe(file, packed.meter, createGunzip({ chunkSize: PIECE_BYTES }), plain.meter, () => {});
    for await (const piece of plain.meter) yield piece as Buffer;
  } catch (error) {
    if (systemCode(error).startsWith('Z_')) throw changed(path, messageOf(error));
    throw SYSTEM.test(systemCode(error)) ? fileFault(path, 'read', error) : error;
  }
  const [content, whole] = [plain.read(), packed.read()];
  mustBeAsWritten(path, whole, facts);
  if (content.sha256 !== facts.plainSha256 || content.lines !== facts.lines) {
    throw changed(path, 'its content differs from what the manifest says');
  }
}

/**
 * Checks a whole file of an archive on the disk against its manifest.
 *
 * @param onPiece called for each piece; may throw to stop
 * @throws LimitlineError `FILE` where the file is missing, unreadable or changed
 */
export async function checkArchiveFile(
  dir: string,
  facts: FileFacts,
  onPiece: () => Promise<void> = async () => {},
): Promise<void> {
  const path = join(dir, facts.name);
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of (await openRegular(path)).createReadStream({ highWaterMark: PIECE_BYTES })) {
      digest.update(piece as Buffer);
      bytes += (piece as Buffer).length;
      await onPiece();
    }
  } catch (error) {
    throw SYSTEM.test(systemCode(error)) ? fileFault(path, 'read', error) : error;
  }
  mustBeAsWritten(path, { bytes, sha256: digest.digest('hex') }, facts);
}

function mustBeAsWritten(path: string, found: Pick<FileFacts, 'bytes' | 'sha256'>, facts: FileFacts): void {
  if (found.sha256 === facts.sha256 && found.bytes === facts.bytes) return;
  const words = `there are ${found.bytes} bytes with SHA-256 ${found.sha256}, and ${facts.bytes} with ${facts.sha256} were written`;
  throw changed(path, words);
}

/**
 * The most bytes of keys other than rows that one command writes. It is less than for rows, since for the same bytes a sorted set takes
 * Redis four times as long as a hash.
 */
export const REST_BYTES = 48 * 1024;

/** Splits the content of an archive's file into lines without line feeds, in batches for one Redis command each. */
export async function* batchesOf(pieces: AsyncIterable<Buffer>, mostBytes = BATCH_BYTES): AsyncGenerator<Buffer[]> {
  let lines: Buffer[] = [];
  let bytes = 0;
  for await (const line of linesOf(pieces)) {
    lines.push(line);
    bytes += line.length;
    if (lines.length < BATCH_LINES && bytes < mostBytes) continue;
    yield lines;
    [lines, bytes] = [[], 0];
  }
  if (lines.length > 0) yield lines;
}

/** How many Redis commands are sent at a time: Redis is never idle, and never busy for more than a few milliseconds. */
const AT_A_TIME = 3;

/**
 * Acts on each item, a few at a time. Items begin in order and end in any order. After a failure no more items begin, and the
 * first failure is thrown.
 */
export async function someAtATime<T>(each: AsyncIterable<T>, act: (one: T) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const faults: unknown[] = [];
  for await (const one of each) {
    const acting: Promise<void> = act(one)
      .catch((error: unknown) => void faults.push(error))
      .finally(() => underWay.delete(acting));
    underWay.add(acting);
    if (underWay.size >= AT_A_TIME) await Promise.race(underWay);
    if (faults.length > 0) break;
  }
  await Promise.all(underWay);
  if (faults.length > 0) throw faults[0];
}

/**
 * The most bytes of a portfolio's name that is used as a folder's name. A longer name is replaced by its digest: file systems take 255
 * bytes, and the 64 letters of a name may have 256.
 */
const NAME_BYTES = 200;

/** The suffix of folders that are not completely written. */
export const PART = '.part';

type PortfolioPlace = { dataDir: string; account: string; portfolio: string };

/**
 * The folder of all archives of one portfolio: `archive/<account>/<portfolio>` in the data folder, with a folder for each
 * archive's id. Accounts appear as digests, as in drop folders.
 *
 * @param dataDir the data folder
 */
export function portfolioFolder({ dataDir, account, portfolio }: PortfolioPlace): string {
  const name = Buffer.byteLength(portfolio) <= NAME_BYTES ? portfolio : digestOf(portfolio);
  return join(dataDir, 'archive', digestOf(account), name);
}

export function archiveFolder({ id, ...of }: PortfolioPlace & { id: string }): string {
  return join(portfolioFolder(of), id);
}

/**
 * Removes an archive, complete or not. Renames it first: if the process is killed, a `.part` folder is left, which counts as no
 * archive even without a manifest.
 */
export async function removeArchive(folder: string): Promise<void> {
  const part = folder.endsWith(PART) ? folder : `${folder}${PART}`;
  await rm(part, { recursive: true, force: true });
  if (part === folder) return;
  try {
    await rename(folder, part);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await rm(part, { recursive: true, force: true });
}

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
      const end = piece.subarray(from, at);
      yield begun.length === 0 ? end : Buffer.concat([...begun, end]);
      [begun, from] = [[], at + 1];
    }
    if (from < piece.length) begun.push(piece.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

/** Codes of the operating system, such as ENOSPC. Codes of Node and Redis have other forms. */
const SYSTEM = /^E(?!RR_)[A-Z0-9]+$/;

/** A stream that counts and digests what passes. */
function makeMeter() {
  const digest = createHash('sha256');
  let [bytes, lines] = [0, 0];
  const meter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      digest.update(piece);
      bytes += piece.length;
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) lines += 1;
      done(null, piece);
    },
  });
  return { meter, read: () => ({ bytes, lines, sha256: digest.digest('hex') }) };
}

function changed(path: string, what: string): LimitlineError {
  const message = `The file ${path} is no longer what Limitline wrote (${what}): put the file back from a copy.`;
  return new LimitlineError('FILE', message);
}

/** The SHA-256 of a text, cut to 16 hexadecimal digits. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
