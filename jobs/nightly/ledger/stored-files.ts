import type { StoreLooks } from '../../../src/documents/store-looks.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';

type ImportsOf = Pick<Portfolios, 'names' | 'allImports'>;

export type FileDeps = {
  portfolios: ImportsOf;
  /** The installation's other accounts, which share the data folder. */
  others: () => Promise<ImportsOf[]>;
  storedFiles: StoreLooks;
  /** Calls `onName` with files that archived imports name, while it answers true. Answers whether all archives could be read. */
  inArchives: (onName: (sha256: string) => boolean) => Promise<boolean>;
  /** Whether Redis' own data is in this data folder. Then all imports are here, too. */
  isOwnRedis: boolean;
};

/** In ms. A younger file may belong to an import or run that is under way. */
export const YOUNG_MS = 86_400_000;

/**
 * Whether this host's data folder is the one with the account's imported files and archives; in a fleet it may be another
 * host's. True where there are none.
 */
export async function isDataFolderOurs({
  portfolios,
  storedFiles,
  isOwnRedis,
  archives,
}: Pick<FileDeps, 'portfolios' | 'storedFiles' | 'isOwnRedis'> & {
  /** For each archive of the account, whether its folder exists. */
  archives: AsyncIterable<boolean>;
}): Promise<boolean> {
  if (isOwnRedis) return true;
  let isAny = false;
  for (const name of await portfolios.names()) {
    for (const { id } of await portfolios.allImports(name)) {
      if (await storedFiles.has(id)) return true;
      isAny = true;
    }
  }
  for await (const isThere of archives) {
    if (isThere) return true;
    isAny = true;
  }
  return !isAny;
}

/** Compares copies of imported files with the portfolios: finds missing, damaged and unnamed ones. */
export async function compareFiles(
  { portfolios, others, storedFiles, inArchives }: FileDeps,
  { sink, signal, nowMs = Date.now() }: { sink: FoundSink; signal: AbortSignal; nowMs?: number },
): Promise<void> {
  const named = new Set<string>();
  for (const portfolio of await portfolios.names()) {
    for (const { id, fileName, lastMs, number } of await portfolios.allImports(portfolio)) {
      const isKnown = named.has(id);
      named.add(id);
      // A file of several imports is read once and reported with each.
      const is = isKnown && (await storedFiles.has(id)) ? 'whole' : await storedFiles.check(id, signal);
      if (is === 'whole') continue;
      const detail = `${fileName}, import ${number}: ${storedFiles.pathOf(id)}`;
      const found = { check: 'files', portfolio, detail, sinceMs: lastMs, isMended: false } as const;
      await sink.found({ ...found, says: is === 'missing' ? MISSING : DAMAGED });
    }
  }
  const unnamed = await unnamedFiles(named, { others, storedFiles });
  if (unnamed.size === 0) return;
  const isWhole = await inArchives((sha256) => {
    unnamed.delete(sha256);
    return unnamed.size > 0;
  });
  // An unreadable archive is a finding of its own. Until it can be read, its files are unknown.
  if (!isWhole) return;
  for (const id of unnamed) {
    const writtenMs = await storedFiles.writtenMs(id);
    if (writtenMs === undefined || writtenMs > nowMs - YOUNG_MS) continue;
    const detail = storedFiles.pathOf(id);
    await sink.found({ check: 'files', portfolio: '', says: UNNAMED, detail, sinceMs: writtenMs, isMended: false });
  }
}

/** At most some thousands: one file per import. */
async function unnamedFiles(
  named: ReadonlySet<string>,
  { others, storedFiles }: Pick<FileDeps, 'others' | 'storedFiles'>,
): Promise<Set<string>> {
  const unnamed = new Set<string>();
  for await (const names of storedFiles.names()) {
    for (const name of names) if (!named.has(name)) unnamed.add(name);
  }
  if (unnamed.size === 0) return unnamed;
  for (const account of await others()) {
    for (const portfolio of await account.names()) {
      for (const { id } of await account.allImports(portfolio)) unnamed.delete(id);
    }
  }
  return unnamed;
}

const MISSING = 'imported files are not in the data folder; their results files lack the columns of the file';
const DAMAGED = 'imported files are not what was imported any more; their results files may show other lines';
const UNNAMED =
  'files are kept in the data folder that no import names, such as one that was refused as a whole; remove them where nobody needs them';
