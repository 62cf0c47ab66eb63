import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { DocumentStore } from '../../src/documents/store.ts';
import { fileFault } from '../../src/files/file-fault.ts';

/**
 * Copies the file into the data folder. Returns its digest, which is the import's id.
 *
 * @throws LimitlineError `FILE` when the file cannot be read
 */
export async function keepFile(path: string, imports: DocumentStore): Promise<string> {
  const { size } = await stat(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  return imports.put({ name: basename(path), path: resolve(path), sizeBytes: size, mediaType: 'text/csv' });
}
