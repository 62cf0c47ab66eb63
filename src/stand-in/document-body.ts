import { createHash } from 'node:crypto';

/** A received document body: its JSON without the file's content, and that content's size and digest. */
export type ReceivedDocument = { json: unknown; content: Base64Digest };

/** The end of a data URI's head; the content of the file follows it (docs/service.md, "Document"). */
const MARK = ';base64,';

/** Most bytes of a document's body without the file's content. Purpose, media type and file name need far less. */
const MOST_AROUND_BYTES = 65_536;

/**
 * Reads the body of POST documents as it arrives, without keeping the content: the text between the first `;base64,`
 * and the end of its string. It must have no escapes, which base64 never needs. An invalid body is read completely,
 * too, so that the client can receive the answer.
 *
 * @returns `undefined` if the body is not JSON, or too long around the content
 */
export async function readDocumentBody(chunks: AsyncIterable<Buffer>): Promise<ReceivedDocument | undefined> {
  const digest = makeBase64Digest();
  let place: 'before' | 'inside' | 'after' = 'before';
  let around: Buffer = Buffer.alloc(0);
  let tooLong = false;
  const keep = (bytes: Buffer) => {
    tooLong ||= around.length + bytes.length > MOST_AROUND_BYTES;
    if (!tooLong) around = Buffer.concat([around, bytes]);
  };

  for await (const chunk of chunks) {
    let rest = chunk;
    if (place === 'before') {
      // The mark `;base64,` may be split between two chunks, so the end of the last chunk is looked at again.
      const tail = around.subarray(1 - MARK.length);
      const at = Buffer.concat([tail, rest]).indexOf(MARK);
      const contentAt = at < 0 ? rest.length : at + MARK.length - tail.length;
      keep(rest.subarray(0, contentAt));
      rest = rest.subarray(contentAt);
      if (at >= 0) place = 'inside';
    }
    if (place === 'inside') {
      const quoteAt = rest.indexOf('"');
      const contentEnd = quoteAt < 0 ? rest.length : quoteAt;
      digest.add(rest.subarray(0, contentEnd));
      rest = rest.subarray(contentEnd);
      if (quoteAt >= 0) place = 'after';
    }
    if (place === 'after') keep(rest);
  }
  if (tooLong) return undefined;
  try {
    return { json: JSON.parse(around.toString()), content: digest.end() };
  } catch {
    return undefined;
  }
}

/**
 * Checks base64 text (RFC 4648, section 4: padded, without line breaks) and digests its content in pieces. It keeps
 * nothing, so a document of 100 MB takes no memory.
 */
export function makeBase64Digest() {
  const sha256 = createHash('sha256');
  let valid = true;
  let sizeBytes = 0;
  /** The last one to four characters that were received. They are checked later, since only the very last group of a text may have padding. */
  let carried = '';

  const decode = (groups: string, shape: RegExp) => {
    valid &&= shape.test(groups);
    if (!valid) return;
    const bytes = Buffer.from(groups, 'base64');
    sizeBytes += bytes.length;
    sha256.update(bytes);
  };

  return {
    add(piece: Buffer): void {
      const text = carried + piece.toString('latin1');
      const whole = Math.max(0, Math.floor((text.length - 1) / 4) * 4);
      carried = text.slice(whole);
      decode(text.slice(0, whole), /^[A-Za-z0-9+/]*$/);
    },
    end(): Base64Digest {
      decode(carried, /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/);
      return valid ? { valid, sizeBytes, sha256: sha256.digest('hex') } : { valid };
    },
  };
}

/** The size and digest of base64 content, or that the text is not base64. */
type Base64Digest = { valid: true; sizeBytes: number; sha256: string } | { valid: false };
