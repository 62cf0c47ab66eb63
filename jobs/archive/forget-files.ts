import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreLooks } from '../../src/documents/store.ts';
import { LimitlineError } from '../../src/errors.ts';
import { accountFolder } from '../../src/files/account-folder.ts';
import { entriesIn, sha256Of, writeDraft } from '../../src/files/disk.ts';
import type { Forgetting } from '../../src/ledger/archive/forgetting.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import type { IsOurs } from '../../src/ledger/nightly/reports.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import { vocabularyOf } from '../../src/portfolio/columns/header-doubts.ts';
import { withoutTextMark } from '../../src/table/formulas.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord } from '../../src/table/table.ts';
import { plainTableLine } from '../../src/table/write-table.ts';
import { makeDraftStore } from '../drafts/draft-store.ts';
import { FORGOTTEN_FILE, makeKeptMappings, makeNamedMappings } from '../drafts/kept-mappings.ts';
import { DONE, REJECTED, TAKEN } from '../inbox/dropped-names.ts';
import { makeDocumentIndex } from '../nightly/ledger/documents.ts';
import { ITEMS, PAGE } from '../nightly/report/make-report.ts';
import { type WalkDeps, type WalkedRow, walkLedger } from '../nightly/walk-ledger.ts';
import { missingArchives } from './look-at-archive.ts';
import { namedDigestsIn, namingFiles } from './named-digests.ts';

/** An account's portfolios, archives, imports and rows. */
type Account = WalkDeps & {
  account: string;
  portfolios: Pick<Portfolios, 'names' | 'allImports'>;
  archives: Pick<Archives, 'list'>;
};

export type FilesDeps = Account & {
  forgetting: Forgetting;
  /** The installation's other accounts, which share the data folder. */
  otherAccounts: () => Promise<Account[]>;
  storedFiles: StoreLooks;
  storedDocuments: StoreLooks;
  settings: { LIMITLINE_DATA: string };
  signal: AbortSignal;
};

/** Notes the files that a portfolio imported and those that its archives name, before that information is erased. */
export async function noteNamedFiles(name: string, archives: readonly string[], deps: FilesDeps): Promise<void> {
  const { forgetting, portfolios } = deps;
  await forgetting.noteFiles(
    name,
    (await portfolios.allImports(name)).map(({ id }) => id),
  );
  for (const archive of archives) {
    for await (const path of namingFiles(archive)) {
      for await (const digests of namedDigestsIn(path)) await forgetting.noteFiles(name, [...new Set(digests)]);
    }
  }
}

/**
 * Removes copies of imported files and documents that only this portfolio named, in all accounts and archives. Keeps files stored after
 * this function began, because an import may not have recorded them yet.
 *
 * @returns how many files were removed, and how many others need
 */
export async function removeNamedFiles(
  name: string,
  archives: readonly string[],
  deps: FilesDeps,
): Promise<{ removed: number; needed: number }> {
  const { forgetting, storedFiles, storedDocuments } = deps;
  /** The copies of the portfolio's files that are in the data folder. */
  async function* copies() {
    for await (const digests of forgetting.files(name)) {
      for (const digest of digests) {
        for (const store of [storedFiles, storedDocuments]) {
          const writtenMs = await store.writtenMs(digest);
          if (writtenMs !== undefined) yield { digest, path: store.pathOf(digest), writtenMs };
        }
      }
    }
  }
  const beganMs = Date.now();
  const index = makeDocumentIndex();
  /** Times that are ahead of this host's clock, which was put back: these copies were stored before, too. */
  const ahead = new Map<string, number>();
  let isAny = false;
  for await (const { digest, path, writtenMs } of copies()) {
    if (writtenMs >= beganMs) ahead.set(path, writtenMs);
    index.add(digest);
    isAny = true;
  }
  if (isAny) await nameOthers(index.name, archives, deps);
  const counts = { removed: 0, needed: 0 };
  for await (const { digest, path, writtenMs } of copies()) {
    const goes = index.isUnnamed(digest) && (writtenMs < beganMs || writtenMs === ahead.get(path));
    if (goes) await rm(path, { force: true });
    counts[goes ? 'removed' : 'needed'] += 1;
  }
  return counts;
}

type Named = { portfolio: string; imports: readonly Pick<KnownImport, 'id'>[]; fileNames: ReadonlySet<string> };

type ReceivedDeps = {
  /**
   * Notes digests of files before the records that name them are removed. For a file that was refused as a whole, nothing else names its
   * copy.
   */
  noteFiles: (digests: readonly string[]) => Promise<void>;
};
type DeskDeps = ReceivedDeps & { account: string; settings: { LIMITLINE_DATA: string } };
type InboxDeps = ReceivedDeps & {
  inbox: Pick<Inbox, 'ofPortfolio' | 'erase'>;
  settings: { LIMITLINE_INBOX?: string | undefined };
};

/**
 * Removes uploads with their documents and previews: those for this portfolio, and those of files that were imported into it. A mapping
 * that was made from such a file stays, without the file's name.
 *
 * @returns how many uploads were removed
 */
export async function forgetUploads(
  { portfolio, imports, fileNames }: Named,
  { account, settings, noteFiles }: DeskDeps,
): Promise<number> {
  const dataDir = settings.LIMITLINE_DATA;
  const drafts = makeDraftStore({ dir: join(dataDir, 'drafts') });
  const digests = new Set(imports.map(({ id }) => id));
  let removed = 0;
  for (const draft of await drafts.list()) {
    const { account: of = account } = draft.submitted ?? {};
    const isOurs = draft.portfolio === portfolio && of === account;
    if (!isOurs && !draft.versions.some(({ sha256 }) => digests.has(sha256))) continue;
    await noteFiles(draft.versions.map(({ sha256 }) => sha256));
    await drafts.remove(draft.id);
    removed += 1;
  }
  await makeKeptMappings({ dir: join(dataDir, 'mappings') }).forgetFiles(fileNames);
  const named = makeNamedMappings({ dataDir });
  for (const mapping of await named.list()) {
    if (fileNames.has(mapping.file)) await named.keep({ ...mapping, file: FORGOTTEN_FILE });
  }
  return removed;
}

/**
 * Removes a portfolio's files from the drop folder: in `done` and `rejected`, with documents, problems and results, and their records.
 *
 * @returns ids of drop folders that are not this process's own and may contain such files
 */
export async function forgetDropped(
  name: string,
  { inbox, settings, noteFiles }: InboxDeps,
): Promise<{ elsewhere: string[] }> {
  const own = settings.LIMITLINE_INBOX;
  const ownId = own === undefined ? undefined : await folderId(own);
  const elsewhere = new Set<string>();
  for await (const page of inbox.ofPortfolio(name)) {
    for (const file of page) {
      if (own !== undefined && file.folder === ownId) {
        for (const place of [DONE, REJECTED]) await removeNamed(join(own, place), file.id, noteFiles);
      } else elsewhere.add(file.folder);
      await inbox.erase(file);
    }
  }
  return { elsewhere: [...elsewhere] };
}

type ReportsDeps = {
  account: string;
  settings: { LIMITLINE_DATA: string };
  keys: { reports: string };
  forgetInReports: (portfolio: string, isOurs: IsOurs) => Promise<string[]>;
};

/** Columns that a forgotten item keeps in the file of all items. They contain no personal data. */
const STAYS = new Set(['kind', 'check', 'portfolio', 'since', 'rows', 'mended']);

/**
 * Erases a portfolio from nightly reports, in Redis and in files: items lose their text, and pages for printing are removed.
 *
 * @param files names of the portfolio's files: items about lines without a row contain them
 */
export async function forgetReported(name: string, files: readonly string[], deps: ReportsDeps): Promise<void> {
  const { account, settings, keys } = deps;
  const isOurs: IsOurs = ({ portfolio, detail = '' }) =>
    portfolio === name || (portfolio === '' && files.some((file) => detail.includes(file)));
  const all = accountFolder({ dataDir: settings.LIMITLINE_DATA, kind: 'reports', account, of: keys.reports });
  // The files are changed before Redis: only Redis knows which reports mention the portfolio, so after a crash this can be repeated.
  for (const night of (await entriesIn(all)).filter((entry) => entry.isDirectory()))
    await forgetInFolder(join(all, night.name), isOurs);
  await deps.forgetInReports(name, isOurs);
}

async function nameOthers(note: (digest: string) => void, archives: readonly string[], deps: FilesDeps): Promise<void> {
  const dataDir = deps.settings.LIMITLINE_DATA;
  for (const account of [deps, ...(await deps.otherAccounts())]) {
    for (const portfolio of await account.portfolios.names()) {
      for (const { id } of await account.portfolios.allImports(portfolio)) note(id);
    }
    const row = ({ result }: WalkedRow) => {
      for (const { sha256 } of result.request.documents) note(sha256);
    };
    await walkLedger(account, { rows: [{ row }], signal: deps.signal });
    // The archives are checked after the rows: a portfolio that was archived while the rows were read has its rows only in its archive's
    // folder.
    const [missing] = await missingArchives(account, dataDir);
    if (missing) throw missingFault(missing);
  }
  for await (const path of namingFiles(join(dataDir, 'archive'), archives)) {
    deps.signal.throwIfAborted();
    for await (const digests of namedDigestsIn(path)) digests.forEach(note);
  }
}

/** A missing archive may name files, so no file can be removed as unnamed. */
function missingFault({ name, folder }: { name: string; folder: string }): LimitlineError {
  const words = `Portfolio ${name} is archived, and its archive is not in this data folder (${folder}), so nobody knows which files it needs. Put the folder back, or make an empty one if the folder is lost for good. Then run limitline forget again to go on.`;
  return new LimitlineError('FILE', words);
}

/** The drop folder's own id; nothing if there is none. */
async function folderId(dir: string): Promise<string | undefined> {
  const text = await readFile(join(dir, TAKEN, 'folder-id'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Removes the file of this id, its documents, and the files written beside it. */
async function removeNamed(dir: string, id: string, noteFiles: InboxDeps['noteFiles']): Promise<void> {
  const names = (await entriesIn(dir)).map((entry) => entry.name);
  for (const found of names.filter((one) => one === id || one.startsWith(`${id}.`))) {
    if (found === `${id}.csv` || found === `${id}.xlsx`) await noteFiles([await sha256Of(join(dir, found))]);
    await rm(join(dir, found), { recursive: true, force: true });
  }
}

async function forgetInFolder(dir: string, isOurs: IsOurs): Promise<void> {
  const names = await readdir(dir);
  if (!names.includes(ITEMS)) return;
  let isNamed = false;
  const write = async (to: NodeJS.WritableStream) => {
    for await (const { line, isChanged } of linesWithout(join(dir, ITEMS), isOurs)) {
      isNamed ||= isChanged;
      if (!to.write(line)) await new Promise<void>((done) => void to.once('drain', done));
    }
    await new Promise<void>((done, fail) => void to.once('error', fail).end(done));
  };
  const written = await writeDraft({ dir, name: ITEMS, mode: 0o600, write });
  try {
    if (!isNamed) return;
    await rm(join(dir, PAGE), { force: true });
    await written.putInPlace(join(dir, ITEMS), true);
  } finally {
    await written.drop();
  }
}

/** The lines of the file of all items, with the portfolio's items erased. */
async function* linesWithout(path: string, isOurs: IsOurs): AsyncGenerator<{ line: string; isChanged: boolean }> {
  const dialect = { encoding: 'utf-8', delimiter: ',', headerLine: 1 } as const;
  const table = await openTable({ path, vocabulary: vocabularyOf(), ...dialect });
  try {
    const columns = table.header?.cells ?? [];
    const [portfolioAt, detailAt] = [columns.indexOf('portfolio'), columns.indexOf('detail')];
    yield { line: `\ufeff${plainTableLine(columns)}`, isChanged: false };
    for (let record = await nextRecord(table); record; record = await nextRecord(table)) {
      const cells = record.cells.map(withoutTextMark);
      const isNamed = isOurs({ portfolio: cells[portfolioAt] ?? '', detail: cells[detailAt] ?? '' });
      const left = isNamed ? cells.map((cell, at) => (STAYS.has(columns[at] ?? '') ? cell : '')) : cells;
      yield { line: plainTableLine(left), isChanged: left.some((cell, at) => cell !== cells[at]) };
    }
  } finally {
    await table.close();
  }
}
