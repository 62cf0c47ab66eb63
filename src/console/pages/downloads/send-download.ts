import { finished, pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What is saved, and what the audit says of it. */
export type Download = {
  fileName: string;
  type: string;
  /** Where it is known beforehand. */
  sizeBytes?: number;
  /** As the audit says it: `results downloaded`. */
  what: string;
  /** The portfolio, or what else it is of. */
  about?: string;
  facts?: Readonly<Record<string, unknown>>;
};

/**
 * Answers with a file that is saved and never shown, and tells the audit: before the first byte who asks for what, and at its
 * end how many bytes left, and whether all of it did. It is the one way in which the console gives files away.
 *
 * @throws whatever the audit throws where nothing can be written down: then no byte leaves
 */
export async function sendDownload(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  download: Download,
  content: Readable | string,
): Promise<FastifyReply> {
  const { fileName, type, sizeBytes, what, about, facts = {} } = download;
  const tally = makeTally();
  const noted = Promise.withResolvers<void>();
  const whole = request.server.audit.around(
    {
      by: request.person.by,
      what,
      from: request.ip,
      ...(about === undefined ? {} : { about }),
      facts: { file: fileName, ...facts },
    },
    async () => {
      noted.resolve();
      return hasLeft(reply);
    },
    (isWhole) => ({ bytes: tally.bytes(), whole: isWhole }),
  );
  // What the audit says at the end comes when the answer is gone; that it could not be written is in its log.
  whole.catch(noted.reject);
  await noted.promise.catch((error) => {
    if (typeof content !== 'string') content.destroy();
    throw error;
  });
  reply
    .header('content-disposition', attachmentOf(fileName))
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type(type);
  if (sizeBytes !== undefined) reply.header('content-length', sizeBytes);
  return reply.send(tally.of(content));
}

/** Whether all of the answer was handed to the connection. */
function hasLeft({ raw }: FastifyReply): Promise<boolean> {
  return new Promise((resolve) => {
    finished(raw, () => resolve(raw.writableFinished));
  });
}

/** Counts what is read of a file. */
function makeTally() {
  let bytes = 0;
  return {
    bytes: (): number => bytes,
    of(content: Readable | string): Readable | string {
      if (typeof content === 'string') {
        bytes = Buffer.byteLength(content);
        return content;
      }
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytes += chunk.length;
          done(null, chunk);
        },
      });
      // A fault of the one ends the other, and Fastify hears of it from the stream that it sends.
      pipeline(content, counted, () => {});
      return counted;
    },
  };
}

/** Longer names are cut, before their ending: file systems take 255 bytes. */
const MOST_CHARACTERS = 120;

/**
 * The header `Content-Disposition` of a file that is saved under this name and never shown (RFC 6266, RFC 5987): what a path,
 * a quotation mark or a line end could be made of is replaced, and names of other scripts stand in the form that has them.
 */
export function attachmentOf(fileName: string): string {
  const name = safeFileName(fileName);
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7E]/g, '_')
    .replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** A name that is no path on any system, hidden on none, and no device on Windows. */
export function safeFileName(fileName: string): string {
  const last = fileName.toWellFormed().replace(/^.*[/\\]/s, '');
  const plain = last.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(plain)?.[0] ?? '';
  const stem = plain.slice(0, plain.length - ending.length);
  const cut = [...stem].slice(0, MOST_CHARACTERS).join('');
  return cut === '' || DEVICES.test(cut) ? `file_${cut}${ending}` : `${cut}${ending}`;
}

const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
