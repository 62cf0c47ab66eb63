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

/** A portfolio, and what is known of the files that were imported into it. */
type Named = { portfolio: string; imports: readonly Pick<KnownImport, 'id'>[]; fileNames: ReadonlySet<string> };

type ReceivedDeps = {
  /** Is told digests of files before they go: of one whose import was refused as a whole there is a copy that nothing else names. */
  noteFiles: (digests: readonly string[]) => Promise<void>;
};
type DeskDeps = ReceivedDeps & { account: string; settings: { LIMITLINE_DATA: string } };
type InboxDeps = ReceivedDeps & {
  inbox: Pick<Inbox, 'ofPortfolio' | 'erase'>;
  settings: { LIMITLINE_INBOX?: string | undefined };
};

/**
 * Removes the uploads of a portfolio with their documents and previews: those that are looked at for it, and those of files that were
 * imported into it. Mappings that were kept by such a file stay, and name it no more.
 *
 * @returns how many uploads went
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
 * Removes what the drop folder has of a portfolio: its files in `done` and `rejected` with documents, problems and results beside them,
 * and what is remembered of them.
 *
 * @returns the names of drop folders that are not this process' own, where files of it may lie
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

/** The drop folder's own name; nothing where it is not there. */
async function folderId(dir: string): Promise<string | undefined> {
  const text = await readFile(join(dir, TAKEN, 'folder-id'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** All that is called by an id: the file and its documents, and what was left beside it. */
async function removeNamed(dir: string, id: string, noteFiles: InboxDeps['noteFiles']): Promise<void> {
  const names = (await entriesIn(dir)).map((entry) => entry.name);
  for (const found of names.filter((one) => one === id || one.startsWith(`${id}.`))) {
    if (found === `${id}.csv` || found === `${id}.xlsx`) await noteFiles([await sha256Of(join(dir, found))]);
    await rm(join(dir, found), { recursive: true, force: true });
  }
}
