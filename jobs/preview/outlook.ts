import { stat } from 'node:fs/promises';
import type { UnknownPolicy } from '../../src/config.ts';
import { ANY_DOCUMENT } from '../../src/documents/any-document.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { Foresight } from '../../src/ledger/rows/foresight.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { earlierProblemOf, mendedRowOf } from '../../src/portfolio/columns/result-columns.ts';
import { type BuyerBook, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBook } from '../../src/portfolio/identity/in-file/book.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { fileNameOf, makeBuyerStore } from '../import/buyer-store.ts';
import { sha256Of } from '../import/file-digest.ts';
import type { ForeseeDeps } from '../import/foresee.ts';
import { makeReplacingForesight } from '../import/foresee-replacing.ts';
import { readingTextOf } from '../import/reading-text.ts';
import { makeRequestsInFile } from '../import/requests-in-file.ts';

/** How a file is told what an import into this portfolio would find. Without a ledger, it is told by itself. */
export type ImportOutlook = { buyers: BuyerBook; foresees: ForeseeDeps | null };

/** The ledger that is looked into; nothing of it is changed. */
export type OutlookDeps = {
  foresight: Foresight;
  buyers: Buyers;
  rows: Rows;
  portfolios: Portfolios;
  /** What is done with a company of which nobody knows whether it was made. */
  onUnknownCompany: UnknownPolicy;
};

/**
 * What an import of the file at `path` into the portfolio would find. Nothing is written, also not who its buyers are.
 *
 * @throws LimitlineError `USAGE` where nothing can be imported into it, since it is archived
 */
export async function importOutlookOf(
  deps: OutlookDeps | null,
  { portfolio, path, reading }: { portfolio: string; path: string; reading: ReadOptions },
): Promise<ImportOutlook> {
  if (!deps) return { buyers: makeFileBook({ portfolio, importId: '' }), foresees: null };
  await deps.portfolios.mustBeHere(portfolio);
  // A Redis that goes away ends a look; only what requests waits for it.
  const store = makeBuyerStore({ buyers: deps.buyers, retryUntilAnswered: (_what, run) => run() });
  const place = { portfolio, importId: await importIdOf(path) };
  return {
    buyers: makeBuyerBook(makeFileBuyers({ ...place, store }), place),
    foresees: {
      portfolio,
      foresight: deps.foresight,
      onUnknownCompany: deps.onUnknownCompany,
      ...(place.importId === '' ? {} : await unclearCorrections({ ...place, path, reading }, deps)),
    },
  };
}

/** Which import it would be. What can be read once only, such as a pipe, is taken for one that was never imported. */
async function importIdOf(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? fileNameOf(await sha256Of(path)) : '';
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** A file that can be read more than once; `importId` is its digest, as buyers know it. */
type LookedAt = { portfolio: string; path: string; importId: string; reading: ReadOptions };

/**
 * Finds the lines of a file that an import would not take, since nobody can tell which row of the portfolio they correct; and
 * which row each names.
 */
async function unclearCorrections(
  { portfolio, path, importId, reading }: LookedAt,
  { rows, portfolios, buyers }: { rows: Rows; portfolios: Portfolios; buyers: Buyers },
) {
  const where = { portfolio, importId };
  // A Redis that goes away ends a look; only what requests waits for it.
  const store = makeBuyerStore({ buyers, retryUntilAnswered: (_what, run) => run() });
  const open = () => {
    const book = makeBuyerBook(makeFileBuyers({ ...where, store }), where);
    return openPortfolio({ ...reading, path, requiredColumns: [], documents: ANY_DOCUMENT, buyers: book });
  };
  const head = await open();
  await head.close();
  const readAs = readingTextOf(reading, head);
  const known = await portfolios.allImports(portfolio);
  const same = known.find((one) => fileNameOf(one.id) === importId && one.reading === readAs);
  const number = same === undefined ? '' : String(same.number);
  const mendedRow = mendedRowOf(head.header);
  const earlierProblem = earlierProblemOf(head.header);
  const place = { portfolio, importId: number, mendedRow, earlierProblem, file: makeRequestsInFile(open) };
  return { ofBuyers: makeReplacingForesight({ rows, place }), mendedRow };
}
