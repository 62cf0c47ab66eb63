import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreLooks } from '../../src/documents/store-looks.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Forgetting } from '../../src/ledger/archive/forgetting.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import { makeDocumentIndex } from '../nightly/ledger/document-index.ts';
import type { WalkedRow } from '../nightly/walk-ledger.ts';
import { type WalkDeps, walkLedger } from '../nightly/walk-ledger.ts';
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
 * Removes copies of imported files and documents that only this portfolio named, in all accounts and archives. Keeps files
 * stored after this began: an import may not have recorded them yet.
 *
 * @returns how many files were removed, and how many others need
 */
export async function removeNamedFiles(
  name: string,
  archives: readonly string[],
  deps: FilesDeps,
): Promise<{ removed: number; needed: number }> {
  const { forgetting, storedFiles, storedDocuments } = deps;
  const stores = [storedFiles, storedDocuments];
  const beganMs = Date.now();
  const index = makeDocumentIndex();
  let isAny = false;
  for await (const digests of forgetting.files(name)) {
    for (const digest of digests) {
      const isThere = (await storedFiles.has(digest)) || (await storedDocuments.has(digest));
      if (isThere) index.add(digest);
      isAny ||= isThere;
    }
  }
  index.close();
  if (isAny) await nameOthers(index.name, archives, deps);
  const counts = { removed: 0, needed: 0 };
  for await (const digests of forgetting.files(name)) {
    for (const digest of digests) {
      for (const store of stores) {
        const writtenMs = await store.writtenMs(digest);
        if (writtenMs === undefined) continue;
        const goes = index.isUnnamed(digest) && writtenMs < beganMs;
        if (goes) await rm(store.pathOf(digest), { force: true });
        counts[goes ? 'removed' : 'needed'] += 1;
      }
    }
  }
  return counts;
}

/** Notes each file that another portfolio names. */
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
    // Checked after the rows: a portfolio that was archived meanwhile has its rows in a folder.
    const [missing] = await missingArchives(account, dataDir);
    if (missing) throw missingFault(missing);
  }
  for await (const path of namingFiles(join(dataDir, 'archive'), archives)) {
    deps.signal.throwIfAborted();
    for await (const digests of namedDigestsIn(path)) digests.forEach(note);
  }
}

/** Such an archive may name files that would be missing after it is restored. */
function missingFault({ name, folder }: { name: string; folder: string }): LimitlineError {
  const words = `${name} is archived, and its archive is not in this data folder (${folder}), so nobody knows which files it needs: put the folder back, or make an empty one where it is lost for good. Then say limitline forget again, and it goes on.`;
  return new LimitlineError('FILE', words);
}
