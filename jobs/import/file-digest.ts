import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * The SHA-256 of a file's content in hex, which is also the name of its copy in the data folder.
 *
 * @param bytes how many bytes from the start to read; all by default
 */
export async function sha256Of(path: string, bytes = Number.POSITIVE_INFINITY): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { end: bytes - 1 }), digest);
  return digest.digest('hex');
}
