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

/** Which file is read into which portfolio, and how. */
export type FileToImport = {
  portfolio: string;
  path: string;
  /** The copy in the data folder that is imported, where it was made (`keepFile`) and looked at before. */
  kept?: string | undefined;
  reading: ReadOptions;
  /** What the folder of its documents is called, where people know it by another name than its path. */
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
  /** What the copy is called. */
  importId: string;
  opened: Opened;
  /** Opens the copy once more, to look ahead: what its lines bring is not written down yet. */
  openAhead: () => Promise<Opened>;
  /**
   * Goes through a workbook's sheet before anything of it is stored. A text is read to its end however broken it is, but a
   * workbook may turn out broken in the middle, when workers have requested the first half.
   */
  checkSheet: () => Promise<void>;
};

/**
 * Copies the file into the data folder to its last byte, and opens the copy.
 *
 * @throws LimitlineError `FILE` when it cannot be read
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
