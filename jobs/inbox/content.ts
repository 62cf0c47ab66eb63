import { createHash, type Hash } from 'node:crypto';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../import/file-digest.ts';

/**
 * The digest of a file with its documents and how it is read: the same again asks for nothing new. Who owns a document is added to
 * `owners`, as a number of the system's.
 *
 * @param sha256 of the file
 * @param documents its folder or ZIP file, if there is one. Links are not followed
 * @param reading how it is read, as JSON
 */
export async function contentOf(
  { sha256, documents, reading }: { sha256: string; documents: string | undefined; reading: string },
  { signal, owners }: Going,
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify([sha256, reading]));
  if (documents !== undefined) await addTo(digest, documents, '', { signal, owners });
  return digest.digest('hex');
}

type Going = { signal: AbortSignal; owners: Set<number> };

/** Each file by its name and digest, in one order whatever the disk has them in; one folder's names are in memory. */
async function addTo(digest: Hash, path: string, name: string, going: Going): Promise<void> {
  going.signal.throwIfAborted();
  const found = await lstat(path);
  going.owners.add(found.uid);
  if (found.isDirectory()) {
    const names = await readdir(path);
    for (const one of names.sort()) await addTo(digest, join(path, one), `${name}/${one}`, going);
  } else if (found.isFile()) digest.update(JSON.stringify([name, await sha256Of(path)]));
  else if (found.isSymbolicLink()) digest.update(JSON.stringify([name, 'link', await readlink(path)]));
}
