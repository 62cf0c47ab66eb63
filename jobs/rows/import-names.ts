import { ANY_DOCUMENT } from '../../src/documents/folder.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { onceEach } from '../../src/once-at-a-time.ts';
import { type BuyerBook, CLOSED_BOOK } from '../../src/portfolio/identity/buyer-book.ts';
import { type Opened, openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** `q4.csv #2`: the portfolio's second import, as people see it. */
export function importName({ fileName, number }: Pick<KnownImport, 'fileName' | 'number'>): string {
  return `${fileName} #${number}`;
}

/** Tells the imports of portfolios, in the order of their numbers. Those of each are read once. */
export function makeImportLists({ portfolios }: { portfolios: Pick<Portfolios, 'allImports'> }) {
  return onceEach((portfolio: string) => portfolios.allImports(portfolio));
}

/** Finds imports by a row and their number; those of each portfolio are read once. */
export function makeImportLook(deps: Parameters<typeof makeImportLists>[0], importsOf = makeImportLists(deps)) {
  return async ({ portfolio }: Pick<RowId, 'portfolio'>, importId: string): Promise<KnownImport | undefined> =>
    (await importsOf(portfolio)).find(({ number }) => String(number) === importId);
}

/** Makes a function that names the file and import of a row (`q4.csv #2`); undefined where they are not known. */
export function makeFileNames(deps: Parameters<typeof makeImportLook>[0]) {
  const importOf = makeImportLook(deps);
  return async ({ row, importId }: { row: RowId; importId: string }): Promise<string | undefined> => {
    const found = await importOf(row, importId);
    return found && importName(found);
  };
}

/** The currencies that the files of a portfolio name; undefined among them where one names none. */
export async function currenciesOfPortfolio(
  portfolio: string,
  { portfolios }: { portfolios: Pick<Portfolios, 'allImports'> },
): Promise<Set<string | undefined>> {
  return new Set((await portfolios.allImports(portfolio)).map(({ found }) => found?.currency));
}

/** The currency that all files of a portfolio name; undefined where they differ, or one names none. */
export async function currencyOfPortfolio(
  ...given: Parameters<typeof currenciesOfPortfolio>
): Promise<string | undefined> {
  const currencies = await currenciesOfPortfolio(...given);
  return currencies.size === 1 ? [...currencies][0] : undefined;
}

/** Makes a function that tells the first currency that a file names, by its header or a line; undefined if it names none. Reads the file once. */
export function makeCurrency(open: () => Promise<Opened>): () => Promise<string | undefined> {
  let named: Promise<string | undefined> | undefined;
  return () => {
    named ??= firstCurrency(open);
    return named;
  };
}

async function firstCurrency(open: () => Promise<Opened>): Promise<string | undefined> {
  const opened = await open();
  try {
    for await (const _batch of opened.batches()) if (opened.currency() !== undefined) break;
    return opened.currency();
  } finally {
    await opened.close();
  }
}

/** The names of a portfolio's imports, by import number, as in the column `import` of results. */
export async function importNames(
  portfolio: string,
  { portfolios }: { portfolios: Portfolios },
): Promise<Map<string, string>> {
  const all = await portfolios.allImports(portfolio);
  return new Map(all.map((known) => [String(known.number), importName(known)]));
}

/** The copies of imported files. */
export type Copies = { open(id: string): { path: string } | Promise<{ path: string }> };

/**
 * Opens the copy of an imported file with the import's read options. Lines are not judged again, only identified, with their
 * buyers from `buyers`.
 *
 * @throws LimitlineError `NOT_FOUND` where the copy is gone, `FILE` where it cannot be read
 */
export async function openImported(
  { id, reading }: Pick<KnownImport, 'id' | 'reading'>,
  { imports, signal, buyers = CLOSED_BOOK }: { imports: Copies; signal?: AbortSignal; buyers?: BuyerBook },
): Promise<Opened> {
  return openPortfolio({
    ...readOptionsSchema.parse(JSON.parse(reading)),
    path: (await imports.open(id)).path,
    signal,
    documents: ANY_DOCUMENT,
    buyers,
  });
}
