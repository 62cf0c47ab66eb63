import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Decided, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { makeImportLook } from '../rows/import-names.ts';
import { foreignWords } from './decision-doubts.ts';

/**
 * Makes a function that says why a decision is not taken whose amounts name other currencies than its request has; undefined where they
 * agree, or that is not known.
 */
export function makeForeignAmount(deps: {
  decisions: Pick<Decided, 'find'>;
  portfolios: Pick<Portfolios, 'allImports'>;
}) {
  const importOf = makeImportLook(deps);
  return async ({ limit, key }: LaterWord, currencies: readonly string[] = []): Promise<string | undefined> => {
    if (currencies.length === 0) return undefined;
    const { maker, importId = '' } = (await deps.decisions.find(limit, key)) ?? {};
    return maker && foreignWords(currencies, (await importOf(maker, importId))?.found?.currency);
  };
}
