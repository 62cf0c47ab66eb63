import type { RowCause } from '../../../src/ledger/counts/cause.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';

/** Facts about a portfolio that findings of its rows need. */
export type PortfolioFacts = {
  /** The number of the last import; '' if unknown. */
  lastImport: string;
  /** Causes by id. */
  causes: ReadonlyMap<string, RowCause>;
  /** When each import last began, in ms, by its number. */
  importedMs: ReadonlyMap<string, number>;
  isPaused: boolean;
};

export type FactsOf = (portfolio: string) => Promise<PortfolioFacts>;

/** Reads a portfolio's facts for its first row. Rows come portfolio by portfolio, so only one portfolio's facts are cached. */
export function makePortfolioFacts(portfolios: Pick<Portfolios, 'read' | 'causes' | 'allImports'>): FactsOf {
  let last: { portfolio: string; facts: Promise<PortfolioFacts> } | undefined;
  return (portfolio) => {
    if (last?.portfolio !== portfolio) last = { portfolio, facts: readFacts(portfolio, portfolios) };
    return last.facts;
  };
}

async function readFacts(
  portfolio: string,
  portfolios: Pick<Portfolios, 'read' | 'causes' | 'allImports'>,
): Promise<PortfolioFacts> {
  const state = await portfolios.read(portfolio);
  const [causes, imports] = await Promise.all([portfolios.causes(portfolio), portfolios.allImports(portfolio)]);
  return {
    lastImport: state.file === undefined ? '' : String(state.file.number),
    causes: new Map(causes.map((cause) => [cause.id, cause])),
    importedMs: new Map(imports.map(({ number, lastMs }) => [String(number), lastMs])),
    isPaused: state.paused !== undefined,
  };
}
