import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { currencyOfPortfolio, makeImportLook } from '../rows/import-names.ts';

/**
 * Makes a function that tells the currency of an approval's sum: the one that its import's file names, or else the one that all files of
 * the portfolio name.
 */
export function makeApprovalCurrency({ portfolios }: { portfolios: Pick<Portfolios, 'allImports'> }) {
  const importOf = makeImportLook({ portfolios });
  return async ({ portfolio, importId }: Pick<Approval, 'portfolio' | 'importId'>): Promise<string | undefined> => {
    if (importId === undefined) return currencyOfPortfolio(portfolio, { portfolios });
    return (await importOf({ portfolio }, importId))?.found?.currency;
  };
}
