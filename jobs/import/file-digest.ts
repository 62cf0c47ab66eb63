import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * The digest of a file's content in hex, by which its copy in the data folder is named.
 *
 * @param bytes only of so many at its beginning
 */
export async function sha256Of(path: string, bytes = Number.POSITIVE_INFINITY): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { end: bytes - 1 }), digest);
  return digest.digest('hex');
}
