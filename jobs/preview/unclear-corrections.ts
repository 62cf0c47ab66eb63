import { ANY_DOCUMENT } from '../../src/documents/any-document.ts';
import type { Buyers } from '../../src/ledger/buyers.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { earlierProblemOf, mendedRowOf } from '../../src/portfolio/columns/result-columns.ts';
import { makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { fileNameOf, makeBuyerStore } from '../import/buyer-store.ts';
import { makeReplacingForesight } from '../import/foresee-replacing.ts';
import { readingTextOf } from '../import/reading-text.ts';
import { makeRequestsInFile } from '../import/requests-in-file.ts';

/** A file that can be read more than once; `importId` is its digest, as buyers know it. */
type LookedAt = { portfolio: string; path: string; importId: string; reading: ReadOptions };

/**
 * Finds the lines of a file that an import would not take, since nobody can tell which row of the portfolio they correct; and
 * which row each names.
 */
export async function unclearCorrections(
  { portfolio, path, importId, reading }: LookedAt,
  { rows, portfolios, buyers }: { rows: Rows; portfolios: Portfolios; buyers: Buyers },
) {
  const where = { portfolio, importId };
  // A Redis that goes away ends a look; only what requests waits for it.
  const store = makeBuyerStore({ buyers, persist: (_what, run) => run() });
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
