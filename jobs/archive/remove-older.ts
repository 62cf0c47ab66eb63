import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameInLine } from '../../src/ledger/archive/archive-pages.ts';
import { batchesOf, ROWS, readArchiveFile, removeArchive } from './archive-files.ts';
import { type ArchiveManifest, readManifest } from './manifest.ts';

/**
 * Removes older archives of a portfolio whose rows all stand in its new archive. An archive with other rows stays: Redis lost them when an
 * older copy was put back. So does one that cannot be read, and one of another ledger.
 */
export async function removeOlder(folder: string, manifest: ArchiveManifest): Promise<void> {
  const { account, portfolio, startedMs } = manifest;
  const above = dirname(folder);
  for (const name of await readdir(above).catch(() => [])) {
    const other = join(above, name);
    if (other === folder) continue;
    const found = await readManifest(other, { account, name: portfolio }).catch(() => undefined);
    // In another ledger, the portfolio of this name began at another moment.
    if (found?.startedMs !== startedMs) continue;
    const isContained = await contains({ folder, manifest }, { folder: other, manifest: found }).catch(() => false);
    if (isContained) await removeArchive(other).catch(() => {});
  }
}

type Archive = { folder: string; manifest: ArchiveManifest };

async function contains(newer: Archive, older: Archive): Promise<boolean> {
  if (older.manifest.rows > newer.manifest.rows) return false;
  const [own, others] = [await rowDigests(newer), await rowDigests(older)];
  let at = 0;
  return others.every((digest) => {
    while (at < own.length && (own[at] as bigint) < digest) at += 1;
    return own[at] === digest;
  });
}

/** The first eight bytes of each row key's SHA-256, sorted: eight megabytes for a million rows. */
async function rowDigests({ folder, manifest }: Archive): Promise<BigUint64Array> {
  const digests = new BigUint64Array(manifest.rows);
  let count = 0;
  for (const facts of manifest.files.filter(({ name }) => name === ROWS)) {
    for await (const lines of batchesOf(readArchiveFile(folder, facts))) {
      for (const line of lines)
        digests[count++] = createHash('sha256').update(nameInLine(line)).digest().readBigUInt64BE();
    }
  }
  return digests.sort();
}
