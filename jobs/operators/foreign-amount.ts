import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Decided, LaterWord } from '../../src/ledger/rows/decisions.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { common, currencyOf } from '../../src/portfolio/values/currencies.ts';
import { makeImportLook } from '../rows/import-names.ts';

type CurrencyDeps = { portfolios: Pick<Portfolios, 'allImports'>; archives: Pick<Archives, 'read'> };

type ForeignDeps = CurrencyDeps & { decisions: Pick<Decided, 'find'> };

/** Makes a function that tells the currency of the row for which a limit was made, by the row's file; undefined if that names none. */
export function makeCurrencyOfRow(deps: CurrencyDeps) {
  const importOf = makeImportLook(deps);
  return async (maker: RowId, importId: string): Promise<string | undefined> => {
    const known = await importOf(maker, importId);
    if (known) return known.found?.currency;
    // The row of an archived portfolio is not in Redis, and does not tell its file.
    return (await deps.archives.read(maker.portfolio))?.currency;
  };
}

/**
 * Makes a function that says why a decision in another currency than its request is not taken. It answers undefined where the currencies
 * agree, or are not known.
 */
export function makeForeignAmount(deps: ForeignDeps) {
  const currencyOfRow = makeCurrencyOfRow(deps);
  return async ({ limit, key }: LaterWord, currencies: readonly string[] = []): Promise<string | undefined> => {
    if (currencies.length === 0) return undefined;
    const { maker, importId = '' } = (await deps.decisions.find(limit, key)) ?? {};
    return maker && foreignWords(currencies, await currencyOfRow(maker, importId));
  };
}

/** The sentence for a decision whose amounts are in another currency than the request; undefined if the currencies agree or are unknown. */
function foreignWords(currencies: readonly string[], requested = ''): string | undefined {
  const own = currencyOf(requested);
  const other = currencies.find((word) => {
    const said = currencyOf(word);
    return own && said && !common(own, said);
  });
  return (
    other && `An amount is in ${visible(other)}, and the row's request is in ${requested}: write it in ${requested}.`
  );
}
