import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';

/** A document as it is sent: its content stays in the file. */
export type OutgoingDocument = { path: string; sizeBytes: number; name: string; mediaType: string };

/** The one value of `purpose` that the service shows (service-api: "document"). */
const PURPOSE = 'financial_statement';

/** Read size: a multiple of 3, so that full reads leave no bytes over; some 190 kB keep a socket busy. */
const CHUNK_BYTES = 196_608;

/**
 * The body of a document call: JSON around a data URI (service-api: "document"; RFC 2397), read from the file as it is
 * sent, with its length computed beforehand. Base64 turns 3 bytes into 4 characters, so n bytes become 4·⌈n/3⌉.
 *
 * @returns a fresh stream each time it is asked for, since a call may be sent again after a 401.
 */
export function makeDocumentBody(document: OutgoingDocument): { contentLengthBytes: number; open: () => Readable } {
  const { prefix, suffix } = envelope(document);
  const base64Bytes = 4 * Math.ceil(document.sizeBytes / 3);
  return {
    contentLengthBytes: Buffer.byteLength(prefix) + base64Bytes + Buffer.byteLength(suffix),
    open: () => Readable.from(chunks(document, prefix, suffix), { objectMode: false }),
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

async function* chunks({ path }: OutgoingDocument, prefix: string, suffix: string): AsyncGenerator<Buffer> {
  yield Buffer.from(prefix);
  let carried: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    carried = Buffer.from(bytes.subarray(whole));
    yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (carried.length > 0) yield Buffer.from(carried.toString('base64'), 'latin1');
  yield Buffer.from(suffix);
}
