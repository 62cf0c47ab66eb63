import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../src/data-folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, syncToDisk } from '../../src/files/disk.ts';
import { type LinesPage, makeArchivePages } from '../../src/ledger/archive/archive-pages.ts';
import { exportResults } from '../export/export-results.ts';
import type { ArchiveDeps } from './archive-deps.ts';
import {
  batchesOf,
  checkArchiveFile,
  PART,
  REST,
  REST_BYTES,
  RESULTS,
  ROWS,
  readArchiveFile,
  someAtATime,
  writeArchiveFile,
} from './archive-files.ts';
import { type FileFacts, type ManifestFacts, writeManifest } from './manifest.ts';

/** The permissions of an archive's folder: only the owner may open it. */
const FOLDER_MODE = 0o700;

/** How many folders are above an archive: those of the portfolio, the account and all archives, and the data folder. */
const LEVELS = 4;

/** A portfolio that nothing changes meanwhile, and its archive's folder. `onRows` is called with the number of rows written or compared. */
export type Writing = {
  folder: string;
  facts: Omit<ManifestFacts, 'files'>;
  signal: AbortSignal;
  onRows: (rows: number) => void | Promise<void>;
};

/**
 * Writes all files of an archive into a folder without its final name, reads them back, and compares each row and other key with Redis. The
 * results file takes longest; the other files are written and compared at the same time.
 *
 * @throws LimitlineError `FILE` where a file cannot be written or is changed, `USAGE` where Redis differs from it
 */
export async function writeArchive(work: { writing: Writing; comparing: Writing }, deps: ArchiveDeps) {
  const { folder, facts, signal, onRows } = work.writing;
  const [dir, name] = [`${folder}${PART}`, facts.portfolio];
  const pages = makeArchivePages({ connection: deps.ledger, keys: deps.keys });
  try {
    makeFolder(dir, FOLDER_MODE);
  } catch (error) {
    throw fileFault(dir, 'written', error);
  }
  const files = await together(signal, (either) => [
    async () => {
      const write = (to: Writable) => exportResults({ portfolio: name, only: 'all' }, to, { ...deps, signal: either });
      return [await writeArchiveFile(dir, RESULTS, write)];
    },
    async () => {
      const write = (found: AsyncIterable<LinesPage>) => (to: Writable) =>
        pipeline(textsOf(found, onRows), to, { signal: either });
      const rows = await writeArchiveFile(dir, ROWS, write(pages.rows(name)));
      const rest = await writeArchiveFile(dir, REST, write(pages.rest(name)));
      await compare({ dir, rows, rest }, { ...work.comparing, signal: either }, deps);
      return [rows, rest];
    },
  ]);
  const manifest = { ...facts, files: files.flat() };
  await checkArchiveFile(dir, manifest.files[0] as FileFacts);
  const [written] = [await writeManifest(dir, manifest), await syncToDisk(dir)];
  return {
    manifest,
    sizeBytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, written.bytes),
    sha256: written.sha256,
  };
}

/** Reads rows and other keys back from the disk, and compares them with Redis. */
async function compare(
  { dir, rows, rest }: { dir: string; rows: FileFacts; rest: FileFacts },
  { facts, signal, onRows }: Writing,
  deps: ArchiveDeps,
): Promise<void> {
  const name = facts.portfolio;
  const pages = makeArchivePages({ connection: deps.ledger, keys: deps.keys });
  const mustBeSame = (isSame: boolean) => {
    if (!isSame) throw changedFault(name);
  };
  await onRows(0);
  if (rows.lines !== facts.rows) throw changedFault(name);
  await someAtATime(batchesOf(readArchiveFile(dir, rows)), async (lines) => {
    signal.throwIfAborted();
    mustBeSame(await pages.areRows(name, lines));
    await onRows(lines.length);
  });
  await someAtATime(batchesOf(readArchiveFile(dir, rest), REST_BYTES), async (lines) => {
    signal.throwIfAborted();
    mustBeSame(await pages.areKeys(name, lines));
  });
}

/** Gives a written folder its final name. With that name, it is an archive. */
export async function nameArchive(folder: string): Promise<void> {
  try {
    await rename(`${folder}${PART}`, folder);
    // The folders above the archive's folder, up to the data folder, may be new, too, so each is synced.
    for (let above = dirname(folder), level = 0; level < LEVELS; above = dirname(above), level += 1)
      await syncToDisk(above);
  } catch (error) {
    throw fileFault(folder, 'written', error);
  }
}

/** Runs these tasks at the same time and waits for all. The first failure stops the others and is thrown. */
async function together<T>(
  signal: AbortSignal,
  tasks: (either: AbortSignal) => readonly (() => Promise<T>)[],
): Promise<T[]> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const fail = (error: unknown) => {
    failing.abort(error);
    throw error;
  };
  const ended = await Promise.allSettled(tasks(either).map((task) => task().catch(fail)));
  if (failing.signal.aborted) throw failing.signal.reason;
  return ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

async function* textsOf(pages: AsyncIterable<LinesPage>, onRows: Writing['onRows']): AsyncGenerator<Buffer> {
  for await (const { text, count } of pages) {
    yield text;
    if (count > 0) await onRows(count);
  }
}

function changedFault(name: string): LimitlineError {
  const message = `${name} was changed while it was archived, so nothing of it was taken out: archive it again.`;
  return new LimitlineError('USAGE', message);
}
