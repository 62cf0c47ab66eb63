import { type Base64Digest, makeBase64Digest } from './base64-digest.ts';

/** A document's body as read: its JSON with the content taken out of the data URI, and what that content was. */
export type ReceivedDocument = { json: unknown; content: Base64Digest };

/** Ends the head of the data URI (docs/service.md, "Document"). */
const MARK = ';base64,';

/** For all that stands around the content: a purpose, a media type and a file name need far less. */
const MOST_AROUND_BYTES = 65_536;

/**
 * Reads the body of POST documents as it arrives, holding none of the content: that is what stands between the first
 * `;base64,` and the end of its string, and it has to be written without escapes, of which base64 needs none. The
 * whole body is read also when it is no good, so that the client gets to read the answer.
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
      // The mark may be spread over two chunks.
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
