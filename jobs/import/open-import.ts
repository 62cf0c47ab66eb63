import { ANY_DOCUMENT } from '../../src/documents/any-document.ts';
import { type FolderWords, makeDocumentFolder } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { type Opened, openPortfolio, tableOf } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { readToEnd } from '../../src/table/open-table.ts';
import { fileNameOf, makeBuyerStore } from './buyer-store.ts';
import { refuseForeign } from './foreign-rows.ts';
import { keepFile } from './keep-file.ts';

export type FileToImport = {
  portfolio: string;
  path: string;
  /** The digest of the copy in the data folder, if `keepFile` made it already. */
  kept?: string | undefined;
  reading: ReadOptions;
  /** How messages name the documents folder, if people do not know it by its path. */
  documentsWords?: FolderWords | undefined;
};

export type OpenDeps = {
  imports: DocumentStore;
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
  requiredColumns: string[];
  maxDocumentMb: number;
  stopping: AbortSignal;
};

/** The copy of a file, read up to its first line. */
export type OpenedImport = {
  /** The digest of the file's content. */
  importId: string;
  opened: Opened;
  /** Opens the copy a second time, to read ahead. Buyers found in this pass are not stored. */
  openAhead: () => Promise<Opened>;
  /**
   * Reads a workbook's whole sheet before any line is imported. A text file can always be read to its end. A workbook may turn
   * out broken in the middle, when workers have requested the first half.
   */
  checkSheet: () => Promise<void>;
};

/**
 * Copies the whole file into the data folder and opens the copy.
 *
 * @throws LimitlineError `FILE` when the file cannot be read
 */
export async function openImport(
  { portfolio, path, kept, reading, documentsWords: words }: FileToImport,
  documentsDir: string,
  deps: OpenDeps,
): Promise<OpenedImport> {
  const importId = kept ?? (await keepFile(path, deps.imports));
  const { path: copy } = deps.imports.open(importId);
  const file = { ...reading, path: copy, givenPath: path, signal: deps.stopping };
  const place = { portfolio, importId: fileNameOf(importId) };
  const store = makeBuyerStore(deps);
  const openAhead = () => {
    const buyers = makeBuyerBook(makeFileBuyers({ ...place, store }), place);
    return openPortfolio({ ...file, requiredColumns: [], documents: ANY_DOCUMENT, buyers });
  };
  const read = await openPortfolio({
    ...file,
    requiredColumns: deps.requiredColumns,
    documents: makeDocumentFolder({ dir: documentsDir, maxSizeMb: deps.maxDocumentMb, words }),
    buyers: makeBuyerBook(store, place),
  });
  const opened = await refuseForeign(read, { portfolio, path: copy }, openAhead);
  const checkSheet = async () => {
    if (opened.dialect.sheet === undefined) return;
    await readToEnd(tableOf(file)).catch(async (error) => {
      await opened.close();
      throw error;
    });
  };
  return { importId, opened, openAhead, checkSheet };
}
