import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import type { ArchivedPortfolio, Archives } from '../../src/ledger/schema/archives.ts';
import { checkArchiveFile, RESULTS, readArchiveFile } from './archive-files.ts';
import { archiveFolder } from './archive-folders.ts';
import { type ArchiveManifest, type FileFacts, readManifest } from './manifest.ts';

/** Where an account's archives lie. */
export type ArchivePlace = { account: string; dataDir: string };

/** What is wrong with an archive's files. */
export type ArchiveFault = { is: 'missing' | 'changed'; detail: string };

/** The folder of an archive, which a portfolio that was forgotten has no more. */
export function folderOf({ name, id }: Pick<ArchivedPortfolio, 'name' | 'id'>, place: ArchivePlace): string {
  return archiveFolder({ ...place, portfolio: name, id });
}

/** Whether there is anything of an archive. */
export async function isThere(archived: ArchivedPortfolio, place: ArchivePlace): Promise<boolean> {
  return (await sizeOf(folderOf(archived, place))) !== undefined;
}

/** Whose rows are in their files alone, or partly. */
export const HAVE_FILES: ReadonlySet<string> = new Set(['leaving', 'archived', 'restoring']);

/** An account's portfolios whose rows are in no folder of this data folder, though they are not in Redis: what they name is not known. */
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
 * Looks whether the files of an archive are there and as they were written: the manifest by the digest that is in Redis, the files by
 * their sizes; and by their digests where they are read wholly.
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
  if (bytes !== facts.bytes) return { is: 'changed', detail: `${path}: ${bytes} bytes, and not ${facts.bytes}` };
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

/** In bytes; nothing where there is nothing of this name. */
async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
