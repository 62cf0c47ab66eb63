import { join } from 'node:path';
import type { KnownImport } from '../../src/ledger/imports.ts';
import { makeDraftStore } from '../drafts/draft-store.ts';
import { FORGOTTEN_FILE, makeKeptMappings } from '../drafts/kept-mappings.ts';
import { makeNamedMappings } from '../drafts/named-mappings.ts';

/** A portfolio, and what is known of the files that were imported into it. */
type Named = { portfolio: string; imports: readonly Pick<KnownImport, 'id'>[]; fileNames: ReadonlySet<string> };

type DeskDeps = {
  account: string;
  settings: { LIMITLINE_DATA: string };
  /** Is told digests of files before they go: of one whose import was refused as a whole there is a copy that nothing else names. */
  noteFiles: (digests: readonly string[]) => Promise<void>;
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
