import { soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { makeImportLook } from '../rows/import-names.ts';

/** A reader of the currency of an approval's sum: the one that its import's file names, or else the only one of its portfolio's files. */
export function makeApprovalCurrency({ portfolios }: { portfolios: Pick<Portfolios, 'allImports' | 'read'> }) {
  const importOf = makeImportLook({ portfolios });
  return async ({ portfolio, importId }: Pick<Approval, 'portfolio' | 'importId'>): Promise<string | undefined> => {
    if (importId === undefined) return soleCurrency(await portfolios.read(portfolio));
    return (await importOf({ portfolio }, importId))?.found?.currency;
  };
}
