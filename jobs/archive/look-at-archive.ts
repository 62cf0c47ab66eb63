import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import type { ArchivedPortfolio, Archives } from '../../src/ledger/schema/archives.ts';
import { archiveFolder, checkArchiveFile, RESULTS, readArchiveFile } from './archive-files.ts';
import { type ArchiveManifest, type FileFacts, readManifest } from './manifest.ts';

export type ArchivePlace = { account: string; dataDir: string };

export type ArchiveFault = { is: 'missing' | 'changed'; detail: string };

/** The folder of an archive. It does not exist for a forgotten portfolio. */
export function folderOf({ name, id }: Pick<ArchivedPortfolio, 'name' | 'id'>, place: ArchivePlace): string {
  return archiveFolder({ ...place, portfolio: name, id });
}

export async function isThere(archived: ArchivedPortfolio, place: ArchivePlace): Promise<boolean> {
  return (await sizeOf(folderOf(archived, place))) !== undefined;
}

/** States in which some or all rows are only in files. */
export const HAVE_FILES: ReadonlySet<string> = new Set(['leaving', 'archived', 'restoring']);

/** An account's archived portfolios without a folder in this data folder. Which files they name is unknown. */
export async function missingArchives(
  { account, archives }: { account: string; archives: Pick<Archives, 'list'> },
  dataDir: string,
): Promise<{ name: string; folder: string }[]> {
  const missing: { name: string; folder: string }[] = [];
  for (const one of await archives.list()) {
    if (!HAVE_FILES.has(one.is) || (await isThere(one, { account, dataDir }))) continue;
    missing.push({ name: one.name, folder: folderOf(one, { account, dataDir }) });
  }
  return missing;
}

/**
 * Checks that an archive's files exist and are unchanged: the manifest by its digest in Redis, the files by size, and with
 * `wholly` by digest.
 *
 * @throws the signal's reason when it is aborted
 */
export async function lookAtArchive(
  archived: ArchivedPortfolio,
  place: ArchivePlace,
  { wholly, signal }: { wholly: boolean; signal: AbortSignal },
): Promise<ArchiveFault | undefined> {
  const dir = folderOf(archived, place);
  if (!(await isThere(archived, place))) return { is: 'missing', detail: dir };
  const manifest = await manifestOf(archived, place).catch((error: unknown) => {
    if (isLimitlineError(error, 'FILE')) return error.message;
    throw error;
  });
  if (typeof manifest === 'string') return { is: 'changed', detail: manifest };
  for (const facts of manifest.files) {
    const fault = await lookAtFile(dir, facts, { wholly, signal });
    if (fault) return fault;
  }
  return undefined;
}

/**
 * Writes the results of an archived portfolio. The file is checked first, because whoever gets the output cannot see whether it
 * is complete.
 *
 * @throws LimitlineError `FILE` where the file is missing or changed: then nothing was written
 */
export async function writeArchivedResults(
  archived: ArchivedPortfolio,
  place: ArchivePlace,
  to: Writable,
  signal: AbortSignal,
): Promise<void> {
  const dir = folderOf(archived, place);
  const manifest = await manifestOf(archived, place);
  const facts = manifest.files.find((file) => file.name === RESULTS);
  if (!facts) throw new LimitlineError('FILE', `The archive in ${dir} has no ${RESULTS}.`);
  await checkArchiveFile(dir, facts);
  await pipeline(readArchiveFile(dir, facts), to, { signal });
}

async function lookAtFile(
  dir: string,
  facts: FileFacts,
  { wholly, signal }: { wholly: boolean; signal: AbortSignal },
): Promise<ArchiveFault | undefined> {
  const path = join(dir, facts.name);
  const bytes = await sizeOf(path);
  if (bytes === undefined) return { is: 'missing', detail: path };
  if (bytes !== facts.bytes)
    return { is: 'changed', detail: `${path}: ${bytes} bytes, and ${facts.bytes} were written` };
  if (!wholly) return undefined;
  try {
    await checkArchiveFile(dir, facts, async () => signal.throwIfAborted());
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return { is: 'changed', detail: messageOf(error) };
  }
}

function manifestOf({ name, id, sha256 }: ArchivedPortfolio, place: ArchivePlace): Promise<ArchiveManifest> {
  return readManifest(folderOf({ name, id }, place), { account: place.account, name, id, sha256 });
}

/** The size of a file in bytes; undefined if the file does not exist. */
const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;
