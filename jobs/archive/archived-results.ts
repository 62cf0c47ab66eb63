import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LimitlineError } from '../../src/errors.ts';
import type { ArchivedPortfolio } from '../../src/ledger/archive/archive-state.ts';
import { checkArchiveFile, RESULTS, readArchiveFile } from './archive-files.ts';
import { type ArchivePlace, folderOf } from './look-at-archive.ts';
import { readManifest } from './manifest.ts';

/**
 * Writes the results of an archived portfolio, as they were when it was archived. The file is read twice: whoever reads the answer has
 * no other way to know that it is whole.
 *
 * @throws LimitlineError `FILE` where they are not there, or are not what was written: then nothing was written here
 */
export async function writeArchivedResults(
  archived: ArchivedPortfolio,
  place: ArchivePlace,
  to: Writable,
  signal: AbortSignal,
): Promise<void> {
  const dir = folderOf(archived, place);
  const { name, id, sha256 } = archived;
  const manifest = await readManifest(dir, {
    account: place.account,
    name,
    id,
    ...(sha256 === undefined ? {} : { sha256 }),
  });
  const facts = manifest.files.find((file) => file.name === RESULTS);
  if (!facts) throw new LimitlineError('FILE', `The archive in ${dir} has no ${RESULTS}.`);
  await checkArchiveFile(dir, facts);
  await pipeline(readArchiveFile(dir, facts), to, { signal });
}
