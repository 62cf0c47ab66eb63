import { stat } from 'node:fs/promises';
import { ANY_DOCUMENT } from '../../src/documents/folder.ts';
import { fileFault, sha256Of } from '../../src/files/disk.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { sharedFor } from '../../src/once-at-a-time.ts';
import { type BuyerBook, type BuyerStore, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBook, makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { makeAsWritten } from '../import/as-written.ts';
import { fileNameOf, makeBuyerStore } from '../import/buyer-store.ts';
import { type ForeseeDeps, makeReplacingForesight } from '../import/foresee.ts';
import { makeRequestsInFile, readingTextOf } from '../import/open-import.ts';
import { makeOtherFiles } from '../import/other-files.ts';
import { type Copies, makeCurrency } from '../rows/import-names.ts';

/** The parts that predict an import's result. Without a ledger, buyers come from the file alone, and `foresees` is null. */
export type ImportOutlook = { buyers: BuyerBook; foresees: ForeseeDeps | null };

/** The ledger, used read-only. */
export type OutlookDeps = Pick<ForeseeDeps, 'foresight' | 'onUnknownCompany'> & {
  buyers: Buyers;
  rows: Rows;
  portfolios: Portfolios;
  imports: Copies;
};

/**
 * Prepares the prediction of an import into the portfolio. Writes nothing, not even the file's buyers.
 *
 * @throws LimitlineError `USAGE` where the portfolio is archived
 */
export async function importOutlookOf(
  deps: OutlookDeps | null,
  { portfolio, path, reading }: { portfolio: string; path: string; reading: ReadOptions },
): Promise<ImportOutlook> {
  if (!deps) return { buyers: makeFileBook({ portfolio, importId: '' }), foresees: null };
  await deps.portfolios.mustBeHere(portfolio);
  // No retries: a preview may fail if Redis goes away.
  const store = makeBuyerStore({ buyers: deps.buyers, retryUntilAnswered: (_what, run) => run() });
  const place = { portfolio, importId: await importIdOf(path) };
  return {
    buyers: makeBuyerBook(makeFileBuyers({ ...place, store }), place),
    foresees: {
      portfolio,
      foresight: deps.foresight,
      rows: deps.rows,
      onUnknownCompany: deps.onUnknownCompany,
      ...(place.importId === '' ? {} : await unclearCorrections({ ...place, path, reading }, { ...deps, store })),
    },
  };
}

/** The import's id. A pipe can be read only once, so it counts as never imported. */
async function importIdOf(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? fileNameOf(await sha256Of(path)) : '';
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** A file that can be read again; `importId` is the digest that buyers' records contain. */
type LookedAt = { portfolio: string; path: string; importId: string; reading: ReadOptions };

/** Finds the lines that an import would refuse because it is unclear which row they correct, and the row that each line names. */
async function unclearCorrections(
  { portfolio, path, importId, reading }: LookedAt,
  { rows, portfolios, imports, store }: Pick<OutlookDeps, 'rows' | 'portfolios' | 'imports'> & { store: BuyerStore },
) {
  const where = { portfolio, importId };
  const open = () => {
    const book = makeBuyerBook(makeFileBuyers({ ...where, store }), where);
    return openPortfolio({ ...reading, path, documents: ANY_DOCUMENT, buyers: book });
  };
  const head = await open();
  await head.close();
  const readAs = readingTextOf(reading, head);
  const known = await portfolios.allImports(portfolio);
  const same = known.find((one) => fileNameOf(one.id) === importId && one.reading === readAs);
  const number = same === undefined ? '' : String(same.number);
  const others = makeOtherFiles(head.header, { portfolios, imports });
  const reads = { file: makeRequestsInFile(open), currency: makeCurrency(open) };
  const place = { portfolio, importId: number, ...others, ...reads };
  // A portfolio is read once a second at most, since many lines may have requests in the same one.
  const isPaused = sharedFor(1_000, async (name) => (await portfolios.read(name ?? '')).paused !== undefined);
  return {
    ...makeReplacingForesight({ rows, place, isPaused }),
    mendedRow: others.mendedRow,
    asWritten: makeAsWritten(head.columns),
  };
}
