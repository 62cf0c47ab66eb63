import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DocumentStore } from '../../src/documents/store.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault } from '../../src/files/file-fault.ts';

/**
 * Copies the file into the data folder. Returns its digest, which is the import's id.
 *
 * @throws LimitlineError `FILE` when the file cannot be read
 */
export async function keepFile(path: string, imports: DocumentStore): Promise<string> {
  const found = await stat(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  if (found.isFIFO() || found.isCharacterDevice()) {
    const message = `${path} is a pipe, and an import reads its file more than once: give the content on standard input, with - for the file and --portfolio NAME.`;
    throw new LimitlineError('FILE', message);
  }
  return imports.put({ name: basename(path), path: resolve(path), sizeBytes: found.size, mediaType: 'text/csv' });
}

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
