import { finished, pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file to send, and what the audit records of it. */
export type Download = {
  fileName: string;
  type: string;
  /** The size of the file, where it is known before sending. */
  sizeBytes?: number;
  /** The audit's name of the action: `results downloaded`. */
  what: string;
  /** The portfolio or other thing that the file belongs to. */
  about?: string;
  facts?: Readonly<Record<string, unknown>>;
};

/**
 * Sends a file as an attachment, and audits it: before the first byte, who asked for what; at the end, how many bytes left, and
 * whether all did. All of the console's downloads go through here.
 *
 * @throws the audit's error where the first entry cannot be written; then nothing is sent
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
  // The audit's entry about the outcome is written after the answer. If that fails, the audit logs it.
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

/** Resolves when the answer ended: whether all of it was handed to the connection. */
function hasLeft({ raw }: FastifyReply): Promise<boolean> {
  return new Promise((resolve) => {
    finished(raw, () => resolve(raw.writableFinished));
  });
}

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
      // `pipeline` passes an error of one stream on to the other. Fastify sends `counted`, and so learns of an error of `content`.
      pipeline(content, counted, () => {});
      return counted;
    },
  };
}

/** The most characters of a file name; a longer one is cut before its extension, since file systems allow 255 bytes. */
const MOST_CHARACTERS = 120;

/**
 * The header `Content-Disposition` for a download (RFC 6266, RFC 5987). Characters of paths, quotation marks and line ends are
 * replaced; names in other scripts are sent encoded, next to an ASCII form.
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

/** A file name that is no path, not hidden, and no device name on Windows. */
export function safeFileName(fileName: string): string {
  const last = fileName.toWellFormed().replace(/^.*[/\\]/s, '');
  const plain = last.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(plain)?.[0] ?? '';
  const stem = plain.slice(0, plain.length - ending.length);
  const cut = [...stem].slice(0, MOST_CHARACTERS).join('');
  return cut === '' || DEVICES.test(cut) ? `file_${cut}${ending}` : `${cut}${ending}`;
}

const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
