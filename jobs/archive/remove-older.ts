import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { batchesOf, ROWS, readArchiveFile, removeArchive } from './archive-files.ts';
import { type ArchiveManifest, readManifest } from './manifest.ts';

/**
 * Removes older archives of a portfolio whose rows and limits all stand in its new archive. An archive with others stays: Redis lost them when
 * an older copy was put back. So does one that cannot be read, and one of another ledger.
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
  const [own, others] = [await digestsIn(newer), await digestsIn(older)];
  let at = 0;
  return others.every((digest) => {
    while (at < own.length && (own[at] as bigint) < digest) at += 1;
    return own[at] === digest;
  });
}

/** The first eight bytes of the SHA-256 of each row's key, and of its limit, sorted: 16 megabytes for a million rows. */
async function digestsIn({ folder, manifest }: Archive): Promise<BigUint64Array> {
  const digests = new BigUint64Array(2 * manifest.rows);
  let count = 0;
  for (const facts of manifest.files.filter(({ name }) => name === ROWS)) {
    for await (const lines of batchesOf(readArchiveFile(folder, facts))) {
      for (const text of lines.flatMap(factsIn))
        digests[count++] = createHash('sha256').update(text).digest().readBigUInt64BE();
    }
  }
  return digests.subarray(0, count).sort();
}

/** The key in a row's line (archive-lines.lua), and its limit with the key, if it was made. */
function factsIn(line: Buffer): string[] {
  const [key = '', cells, ...texts] = JSON.parse(line.toString()) as string[];
  const at = texts.findIndex((text, place) => text === 'limit' && place % 2 === 0 && place < Number(cells));
  const limit = at < 0 ? undefined : texts[at + 1];
  return limit ? [key, `${key} ${limit}`] : [key];
}
