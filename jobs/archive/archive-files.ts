import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline as pipe, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { fileFault, systemCode } from '../../src/files/file-fault.ts';
import { keepRoom } from '../../src/files/free-bytes.ts';
import type { FileFacts } from './manifest.ts';

/** What people read; a line a row; all other keys of the portfolio, piece by piece (archive-lines.lua). */
export const RESULTS = 'results.csv.gz';
export const ROWS = 'rows.ndjson.gz';
export const REST = 'rest.ndjson.gz';

/** What an archive is, beside its manifest: a folder of these files. */
export const ARCHIVE_FILES = [RESULTS, ROWS, REST] as const;
export type ArchiveFile = (typeof ARCHIVE_FILES)[number];

/** For its owner alone: it is all that is known of buyers. */
const FILE_MODE = 0o600;

/** Three times as fast as the best, and a tenth larger: writing is not to wait for it. */
const GZIP_LEVEL = 1;

/** As much as one command at Redis takes without keeping others waiting. */
const BATCH_LINES = 50;
const BATCH_BYTES = 256 * 1024;

/** Pieces in which a file is read and compressed: larger ones cost memory, smaller ones time. */
const PIECE_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;

/**
 * Writes one file of an archive to the disk.
 *
 * @param write puts the content, not compressed, into the stream and ends it
 * @throws LimitlineError `FILE` where the disk does not take it, and whatever `write` throws
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
    // Whatever failed first ended all the rest, each in its own words.
    const disk = faults.find((error) => SYSTEM.test(systemCode(error)));
    throw disk === undefined ? faults[0] : fileFault(path, 'written', disk);
  }
  const { bytes: plainBytes, sha256: plainSha256, lines } = plain.read();
  const { bytes, sha256 } = packed.read();
  return { name, bytes, sha256, plainBytes, plainSha256, lines };
}

/**
 * Reads the content of a file of an archive. Whether it is what was written is known when the last piece has come: until then
 * nothing may hang on it that cannot be taken back.
 *
 * @throws LimitlineError `FILE` where it is not there, cannot be read, or is not what was written
 */
export async function* readArchiveFile(dir: string, facts: FileFacts): AsyncGenerator<Buffer> {
  const path = join(dir, facts.name);
  const [plain, packed] = [makeMeter(), makeMeter()];
  try {
    const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
    // Whatever fails comes out where the last of them is read.
    pipe(file, packed.meter, createGunzip({ chunkSize: PIECE_BYTES }), plain.meter, () => {});
    for await (const piece of plain.meter) yield piece as Buffer;
  } catch (error) {
    if (systemCode(error).startsWith('Z_')) throw changed(path, messageOf(error));
    throw SYSTEM.test(systemCode(error)) ? fileFault(path, 'read', error) : error;
  }
  const [content, whole] = [plain.read(), packed.read()];
  mustBeAsWritten(path, whole, facts);
  if (content.sha256 !== facts.plainSha256 || content.lines !== facts.lines) {
    throw changed(path, 'what is in it is not what its manifest says');
  }
}

/**
 * Reads a file of an archive to its end as it lies on the disk, to see that it is what was written.
 *
 * @param onPiece is told of each piece, and may end it by what it throws
 * @throws LimitlineError `FILE` where it is not there, cannot be read, or is not what was written
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
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
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
  throw changed(path, `${found.bytes} bytes of SHA-256 ${found.sha256}, and not ${facts.bytes} of ${facts.sha256}`);
}

/** Entries of sorted sets of a million take Redis four times as long as the same bytes of rows. */
export const REST_BYTES = 48 * 1024;

/** Whole lines, less their line feeds, as many at a time as one command at Redis takes. */
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

/** On their way to Redis at one time: it is never idle, and never has to do more than a few milliseconds at a time. */
const AT_A_TIME = 3;

/**
 * Does something with each, some of them at a time; they are begun in their order, and end in any. The first that fails keeps the others from
 * being begun, and its fault is the one that is told.
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

/** What the operating system says, such as ENOSPC; Node's own codes and Redis' look otherwise. */
const SYSTEM = /^E(?!RR_)[A-Z0-9]+$/;

/** Counts and digests what goes through it. */
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
  const message = `${path} is not what was written there (${what}): put it back from a copy.`;
  return new LimitlineError('FILE', message);
}
