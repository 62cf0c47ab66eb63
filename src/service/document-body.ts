import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** A document to send. Its content stays in the file. */
export type OutgoingDocument = { path: string; sizeBytes: number; name: string; mediaType: string; purpose?: string };

/** The only `purpose` that the service documents (docs/service.md, "Document"), sent where a person names no other. */
const PURPOSE = 'financial_statement';

/**
 * A multiple of 3, so that no bytes are left over for the next piece. Larger than a socket's buffer (64 kB), so that
 * each piece is flushed before the next one is read.
 */
const PIECE_BYTES = 147_456;

/** One piece is being sent, one is read ahead by the stream, and one is being filled. */
const BUFFERS = 3;

/**
 * The body of a document call: JSON around a data URI (docs/service.md, "Document"; RFC 2397). The file is read while
 * it is sent; the length is computed beforehand.
 *
 * @returns `open` gives a new stream each time, because a call may be repeated after a 401.
 */
export function makeDocumentBody(document: OutgoingDocument): {
  contentLengthBytes: number;
  open: () => Readable;
  /** The error of reading the file, if there was one. */
  fault: () => unknown;
} {
  const { prefix, suffix } = envelope(document);
  let fault: unknown;
  async function* read(): AsyncGenerator<Buffer> {
    try {
      yield* pieces(document, prefix, suffix);
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  return {
    contentLengthBytes: Buffer.byteLength(prefix) + base64Length(document.sizeBytes) + Buffer.byteLength(suffix),
    open: () => Readable.from(read(), { objectMode: false, highWaterMark: 1 }),
    fault: () => fault,
  };
}

/** The length of base64 text for this many bytes, including padding (RFC 4648, section 4). */
export function base64Length(sizeBytes: number): number {
  return 4 * Math.ceil(sizeBytes / 3);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '='.charCodeAt(0);

/** The two characters for each 12 bits: one lookup for a byte and a half. */
const FIRST = Uint8Array.from({ length: 4_096 }, (_none, bits) => ALPHABET.charCodeAt(bits >> 6));
const SECOND = Uint8Array.from({ length: 4_096 }, (_none, bits) => ALPHABET.charCodeAt(bits & 63));

/**
 * Encodes the first `sizeBytes` of `from` into `to`, padded if necessary, and returns the written part of `to`. Node's
 * encoder makes a new string each time: for a large document, garbage of more than its size, which V8 frees late.
 */
export function encodeBase64(from: Uint8Array, sizeBytes: number, to: Buffer): Buffer {
  const whole = sizeBytes - (sizeBytes % 3);
  let at = 0;
  for (let n = 0; n < whole; n += 3) {
    const bits = ((from[n] as number) << 16) | ((from[n + 1] as number) << 8) | (from[n + 2] as number);
    to[at] = FIRST[bits >> 12] as number;
    to[at + 1] = SECOND[bits >> 12] as number;
    to[at + 2] = FIRST[bits & 4_095] as number;
    to[at + 3] = SECOND[bits & 4_095] as number;
    at += 4;
  }
  if (whole < sizeBytes) {
    const bits = ((from[whole] as number) << 16) | ((sizeBytes - whole === 2 ? (from[whole + 1] as number) : 0) << 8);
    to[at] = FIRST[bits >> 12] as number;
    to[at + 1] = SECOND[bits >> 12] as number;
    to[at + 2] = sizeBytes - whole === 2 ? (FIRST[bits & 4_095] as number) : PADDING;
    to[at + 3] = PADDING;
    at += 4;
  }
  return to.subarray(0, at);
}

/**
 * The JSON before and after the base64 text. The file name is percent-encoded, so that its quotes, semicolons or commas
 * cannot end the name, the data URI or the JSON string.
 */
function envelope({ name, mediaType, purpose = PURPOSE }: OutgoingDocument): { prefix: string; suffix: string } {
  const uri = `data:${mediaType};name=${encodeURIComponent(name.toWellFormed())};base64,`;
  const json = JSON.stringify({ purpose, file: uri });
  return { prefix: json.slice(0, -'"}'.length), suffix: '"}' };
}

/**
 * The body in pieces. The buffers are reused, so a document of any size takes the memory of a few pieces. That is safe: each piece exceeds
 * the writer's buffer, so the writer takes the next piece only after a flush, and the stream reads only one piece ahead.
 */
async function* pieces({ path }: OutgoingDocument, prefix: string, suffix: string): AsyncGenerator<Buffer> {
  yield Buffer.from(prefix);
  const file = await open(path);
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const encoded = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafe(base64Length(PIECE_BYTES)));
    for (let turn = 0; ; turn = (turn + 1) % BUFFERS) {
      const filled = await fill(file, piece);
      if (filled === 0) break;
      yield encodeBase64(piece, filled, encoded[turn] as Buffer);
    }
  } finally {
    await file.close();
  }
  yield Buffer.from(suffix);
}

/** Fills the piece with as many reads as necessary; only the last one may be shorter. Returns the number of bytes. */
async function fill(file: FileHandle, piece: Buffer): Promise<number> {
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
