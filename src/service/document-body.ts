import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { base64Length, encodeBase64 } from './base64.ts';

/** A document as it is sent: its content stays in the file. */
export type OutgoingDocument = { path: string; sizeBytes: number; name: string; mediaType: string };

/** The one value of `purpose` that the service shows (docs/service.md, "Document"). */
const PURPOSE = 'financial_statement';

/**
 * A multiple of 3, so that full pieces leave no bytes over for the next; and more than a socket buffers (64 kB), so that
 * every piece has to be flushed before the next is taken.
 */
const PIECE_BYTES = 147_456;

/** One piece on its way out, one read ahead by the stream, one being filled: then the first is free again. */
const BUFFERS = 3;

/**
 * The body of a document call: JSON around a data URI (docs/service.md, "Document"; RFC 2397), read from the file as it is
 * sent, with its length computed beforehand.
 *
 * @returns a fresh stream each time it is asked for, since a call may be sent again after a 401.
 */
export function makeDocumentBody(document: OutgoingDocument): {
  contentLengthBytes: number;
  open: () => Readable;
  /** What kept the file from being read to its end, if anything did. */
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

/**
 * The JSON before and after the base64 text. The file's name is percent-encoded: neither a quote, a semicolon nor a
 * comma of it can end the name, the data URI or the JSON string.
 */
function envelope({ name, mediaType }: OutgoingDocument): { prefix: string; suffix: string } {
  const uri = `data:${mediaType};name=${encodeURIComponent(name.toWellFormed())};base64,`;
  const json = JSON.stringify({ purpose: PURPOSE, file: uri });
  return { prefix: json.slice(0, -'"}'.length), suffix: '"}' };
}

/**
 * The body, piece by piece, in buffers that are used again and again, so that a document of any size costs the memory of
 * some pieces. That is safe because a writer that has been told to wait (each piece is longer than its buffer) takes
 * the next piece only when the last one was flushed, and the stream reads no more than one piece ahead.
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

/** Fills the piece, over as many reads as it takes: only the last may be shorter. Answers how far it is filled. */
async function fill(file: FileHandle, piece: Buffer): Promise<number> {
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
