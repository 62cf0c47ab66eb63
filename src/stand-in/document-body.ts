import { type Base64Digest, makeBase64Digest } from './base64-digest.ts';

/** A received document body: its JSON without the file's content, and that content's size and digest. */
export type ReceivedDocument = { json: unknown; content: Base64Digest };

/** The end of the data URI's head (docs/service.md, "Document"). */
const MARK = ';base64,';

/** The limit for everything around the content. Purpose, media type and file name need far less. */
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
      // The mark may be split between two chunks.
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
