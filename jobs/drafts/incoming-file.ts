import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RefusedUpload } from '../../src/portfolio/draft-desk.ts';

export type UploadLimits = {
  /** The most bytes of one upload, all of its files together. */
  maxBytes: number;
  /** The most bytes of one person's uploads together. */
  quotaBytes: number;
  /** The bytes that stay free on the disk, because the ledger may be on it, too. */
  reserveBytes: number;
  freeBytes(): Promise<number>;
};

/** After how many bytes of an upload the free space is checked again: other programs write to the disk, too. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** The error by which an upload is refused. It is thrown where the reason is found. */
export class UploadRefusal extends Error {
  readonly refused: RefusedUpload['refused'];

  constructor(status: RefusedUpload['refused']['status'], message: string) {
    super(message);
    this.refused = { status, message };
  }
}

export type Meter = (bytes: number) => Promise<void>;

/** Counts the bytes of an upload. The meter throws an UploadRefusal for too many. */
export function makeMeter({ maxBytes, reserveBytes, freeBytes }: UploadLimits): Meter {
  let [received, looked] = [0, 0];
  return async (bytes) => {
    received += bytes;
    if (received > maxBytes) throw tooLarge({ maxBytes });
    if (received - looked < LOOK_EVERY_BYTES) return;
    looked = received;
    if ((await freeBytes()) < reserveBytes) throw noRoom();
  };
}

/** Streams one file of an upload to the disk. No file may exist at this path. */
export async function writeIncoming(
  content: Readable,
  path: string,
  meter: Meter,
): Promise<{ sha256: string; sizeBytes: number }> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  // The file is made here, and not by the stream: that might make it after a fault, when the caller has removed it already.
  const target = await open(path, 'wx', 0o600).catch((error) => {
    content.destroy();
    throw error;
  });
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        await meter(chunk.length);
        sizeBytes += chunk.length;
        digest.update(chunk);
        yield chunk;
      }
    },
    target.createWriteStream({ flush: true }),
  );
  return { sha256: digest.digest('hex'), sizeBytes };
}

export function tooLarge({ maxBytes }: Pick<UploadLimits, 'maxBytes'>): UploadRefusal {
  const mb = Math.floor(maxBytes / 1024 / 1024).toLocaleString('en');
  const message = `The upload is larger than ${mb} MB, which is the most that is taken here: give its documents in parts, or raise CONSOLE_UPLOAD_MB.`;
  return new UploadRefusal(413, message);
}

export function noRoom(): UploadRefusal {
  const message =
    'The disk of the data folder has no room for this upload: make room there, and upload it again. Nothing of it was kept.';
  return new UploadRefusal(507, message);
}
