import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesIn } from '../../src/files/file-fault.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import { sha256Of } from '../import/file-digest.ts';
import { DONE, REJECTED, TAKEN } from '../inbox/dropped-names.ts';

type InboxDeps = {
  inbox: Pick<Inbox, 'ofPortfolio' | 'erase'>;
  settings: { LIMITLINE_INBOX?: string | undefined };
  /** Is told digests of files before they go: of one that was refused as a whole there is a copy that nothing else names. */
  noteFiles: (digests: readonly string[]) => Promise<void>;
};

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
