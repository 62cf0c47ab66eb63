import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesIn } from '../../src/files/file-fault.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { makeDraftStore } from '../drafts/draft-store.ts';
import { FORGOTTEN_FILE, makeKeptMappings } from '../drafts/kept-mappings.ts';
import { makeNamedMappings } from '../drafts/named-mappings.ts';
import { sha256Of } from '../import/file-digest.ts';
import { DONE, REJECTED, TAKEN } from '../inbox/dropped-names.ts';

/** A portfolio with its imports and the names of their files. */
type Named = { portfolio: string; imports: readonly Pick<KnownImport, 'id'>[]; fileNames: ReadonlySet<string> };

type ReceivedDeps = {
  /** Notes digests before files are removed: nothing else names the copy of a file that was refused as a whole. */
  noteFiles: (digests: readonly string[]) => Promise<void>;
};
type DeskDeps = ReceivedDeps & { account: string; settings: { LIMITLINE_DATA: string } };
type InboxDeps = ReceivedDeps & {
  inbox: Pick<Inbox, 'ofPortfolio' | 'erase'>;
  settings: { LIMITLINE_INBOX?: string | undefined };
};

/**
 * Removes uploads with their documents and previews: those for this portfolio, and those of files that were imported into it.
 * Mappings kept from such a file stay without its name.
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
 * Removes a portfolio's files from the drop folder: in `done` and `rejected`, with documents, problems and results, and their
 * records.
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
