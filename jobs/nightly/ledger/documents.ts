import type { StoreLooks } from '../../../src/documents/store.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { StoredRow } from '../../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { isUnfinished, type RowRequest } from '../../../src/ledger/schema/row.ts';
import { digestOf, makeKeySet } from '../../../src/portfolio/identity/digest.ts';
import { DAY_MS } from '../../../src/time-units.ts';
import { rowFacts, type StoredRowCheck, type WalkDeps, walkLedger } from '../walk-ledger.ts';

export type DocumentDeps = {
  storedDocuments: StoreLooks;
  /** Calls `onName` with documents that archived rows name, until `onName` answers false. Answers whether all archives could be read. */
  inArchives: (onName: (sha256: string) => boolean) => Promise<boolean>;
  /** The installation's other accounts, which share the data folder. */
  others: () => Promise<WalkDeps[]>;
};

/**
 * Compares documents in the data folder with those that rows name. A missing one cannot be sent. An unnamed one is left for a
 * person, who may know why it is there.
 */
export async function makeDocumentCheck(
  { storedDocuments, inArchives, others }: DocumentDeps,
  { sink, signal, nowMs = Date.now() }: { sink: FoundSink; signal: AbortSignal; nowMs?: number },
): Promise<StoredRowCheck> {
  const index = makeDocumentIndex();
  for await (const names of storedDocuments.names()) for (const name of names) index.add(name);
  const nameAll = ({ documents }: Pick<RowRequest, 'documents'>) => {
    for (const { sha256 } of documents) index.name(sha256);
  };

  async function look({ row, result }: StoredRow): Promise<void> {
    for (const { sha256, name } of result.request.documents) {
      // A document may have been stored after the folder was listed.
      if (index.name(sha256) || (await storedDocuments.has(sha256))) continue;
      const isOpen = isUnfinished(result.state);
      const detail = `${name}: ${storedDocuments.pathOf(sha256)}`;
      const found = { check: 'documents', detail, says: isOpen ? TO_BE_SENT : SENT, isMended: false } as const;
      await sink.found({ ...found, ...rowFacts(row, result) });
    }
  }

  return {
    onlyLooks: true,
    row: (walked) => (walked.field('request').includes('"sha256"') ? look(walked) : undefined),
    async end() {
      if (index.unnamedCount() === 0) return;
      for (const account of await others()) {
        await walkLedger(account, { rows: [{ row: ({ result }) => nameAll(result.request) }], signal });
      }
      if (index.unnamedCount() === 0) return;
      // An unreadable archive is a finding of its own. Until it can be read, its documents are unknown.
      const isWhole = await inArchives((sha256) => {
        index.name(sha256);
        return true;
      });
      if (!isWhole) return;
      for await (const names of storedDocuments.names()) {
        for (const name of names.filter(index.isUnnamed)) {
          const writtenMs = await storedDocuments.writtenMs(name);
          if (writtenMs === undefined || writtenMs > nowMs - YOUNG_MS) continue;
          const detail = storedDocuments.pathOf(name);
          await sink.found({
            check: 'documents',
            portfolio: '',
            says: UNNAMED_DOCUMENTS,
            detail,
            sinceMs: writtenMs,
            isMended: false,
          });
        }
      }
    },
  };
}

type ImportsOf = Pick<Portfolios, 'names' | 'allImports'>;

export type FileDeps = {
  portfolios: ImportsOf;
  /** The installation's other accounts, which share the data folder. */
  others: () => Promise<ImportsOf[]>;
  storedFiles: StoreLooks;
  /** Calls `onName` with files that archived imports name, until `onName` answers false. Answers whether all archives could be read. */
  inArchives: (onName: (sha256: string) => boolean) => Promise<boolean>;
  /** Whether Redis' own data is in this data folder. Then all imports are here, too. */
  isOwnRedis: boolean;
};

/** The age, in ms, below which a stored file that nothing names is not reported: it may belong to an import or run that is under way. */
const YOUNG_MS = DAY_MS;

/**
 * Whether this host's data folder is the one with the account's imported files and archives; in a fleet it may be another
 * host's. True where there are none.
 */
export async function isDataFolderOurs(
  given: Pick<FileDeps, 'portfolios' | 'storedFiles' | 'isOwnRedis'> & {
    /** For each archive of the account, whether its folder exists. */
    archives: AsyncIterable<boolean>;
  },
): Promise<boolean> {
  const { portfolios, storedFiles, isOwnRedis, archives } = given;
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

/**
 * Remembers documents and which of them are named, in some 20 bytes each, because there may be millions. Among a
 * million documents, one is mistaken for another once in some 16,000 times.
 */
export function makeDocumentIndex() {
  const [stored, named] = [makeKeySet(), makeKeySet()];
  let unnamed = 0;
  return {
    add(sha256: string): void {
      if (stored.add(digestOf(sha256))) unnamed += 1;
    },
    /** Marks a document as named; answers whether it exists. */
    name(sha256: string): boolean {
      const key = digestOf(sha256);
      if (!stored.has(key)) return false;
      if (named.add(key)) unnamed -= 1;
      return true;
    },
    isUnnamed: (sha256: string): boolean => stored.has(digestOf(sha256)) && !named.has(digestOf(sha256)),
    unnamedCount: (): number => unnamed,
  };
}

const TO_BE_SENT =
  'documents that are still to be sent are not in the data folder; import the file that names them again';
const SENT = 'documents of rows that need them no more are not in the data folder';

const UNNAMED_DOCUMENTS = 'documents are kept in the data folder that no row names';

/** Stored files that no import of any account in Redis names. At most some thousands: one file per import. */
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

const MISSING =
  'imported files are missing in the data folder; their results files cannot show the columns of the file';
const DAMAGED = 'imported files differ from what was imported; their results files may show other lines';
const UNNAMED =
  'files are kept in the data folder that no import names, such as one that was refused as a whole; remove them where nobody needs them';
