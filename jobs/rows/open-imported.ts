import { ANY_DOCUMENT } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { type BuyerBook, CLOSED_BOOK } from '../../src/portfolio/identity/buyer-book.ts';
import { type Opened, openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/**
 * Opens the copy of an imported file with the import's read options. Lines are not judged again, only identified, with their
 * buyers from `buyers`.
 *
 * @throws LimitlineError `NOT_FOUND` where the copy is gone, `FILE` where it cannot be read
 */
export async function openImported(
  { id, reading }: Pick<KnownImport, 'id' | 'reading'>,
  { imports, signal, buyers = CLOSED_BOOK }: { imports: DocumentStore; signal: AbortSignal; buyers?: BuyerBook },
): Promise<Opened> {
  return openPortfolio({
    ...readOptionsSchema.parse(JSON.parse(reading)),
    path: imports.open(id).path,
    signal,
    requiredColumns: [],
    documents: ANY_DOCUMENT,
    buyers,
  });
}
