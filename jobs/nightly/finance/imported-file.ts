import type { DocumentStore } from '../../../src/documents/store.ts';
import type { ImportedFile } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../../src/ledger/rows/buyers.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { type BuyerBook, CLOSED_BOOK } from '../../../src/portfolio/identity/buyer-book.ts';
import { makeBuyerStore } from '../../import/buyer-store.ts';
import { openImported } from '../../rows/open-imported.ts';
import { quoted } from '../walk-ledger.ts';
import { type DayFile, type DayImport, dayImports, linesMended } from './days-files.ts';
import { tellUnrequested } from './unrequested-lines.ts';

type ImportedDeps = { imports: DocumentStore; signal: AbortSignal };

/** The copy of a file that was imported and has lines without a row. */
export async function importedFile(day: DayImport, deps: ImportedDeps): Promise<DayFile> {
  const open = (known: ImportedFile, buyers: BuyerBook = CLOSED_BOOK) =>
    openImported(known, { imports: deps.imports, signal: deps.signal, buyers });
  const { portfolio, known, isBrokenOff, later } = day;
  const { fileName, number, found } = known;
  const name = quoted(portfolio);
  return {
    portfolio,
    fileName,
    importId: String(number),
    later: new Set(later.map(({ number }) => String(number))),
    mended: await linesMended(day, open),
    why: isBrokenOff ? 'its import broke off before it' : 'it led to no request',
    unread: {
      says: 'lines led to no request, and the copy of their file cannot be read here',
      rows: found?.invalid ?? 1,
    },
    // An import that broke off is continued with the same file, called FILE here because its path is not stored. The errors file of a
    // report has only lines of the last import, so the file of an earlier import is checked instead.
    command: isBrokenOff
      ? `import FILE --portfolio ${name}`
      : later.length > 0
        ? 'check FILE'
        : `report ${name} --format errors-csv`,
    open: (buyers) => open(known, buyers),
  };
}

type LinesDeps = ImportedDeps & {
  rows: Rows;
  portfolios: Portfolios;
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
};

/** Whether the nightly check would name lines of this import, since nothing was requested for them and no later file corrected them. */
export async function hasUnrequested(
  { portfolio, number }: { portfolio: string; number: number },
  { portfolios, rows, ...deps }: LinesDeps,
): Promise<boolean> {
  let isFound = false;
  const sink = {
    async found() {
      isFound = true;
    },
  };
  const lines = { rows, portfolios, store: makeBuyerStore(deps), sink };
  for await (const day of dayImports(0, { ...portfolios, names: async () => [portfolio] })) {
    if (day.known.number === number) await tellUnrequested(await importedFile(day, deps), lines);
  }
  return isFound;
}
