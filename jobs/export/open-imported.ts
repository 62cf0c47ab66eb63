import { ANY_DOCUMENT } from '../../src/documents/any-document.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { type BuyerBook, CLOSED_BOOK } from '../../src/portfolio/identity/buyer-book.ts';
import { type Opened, openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/**
 * Opens the copy of an imported file as the import did. Whether a line is good enough was decided then; here it only has to
 * be recognised, or told its buyer by `buyers`.
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
