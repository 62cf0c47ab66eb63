import type { RowCause } from '../../../src/ledger/counts/cause.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';

/** What is known of a portfolio as a whole, as far as findings of its rows say it. */
export type PortfolioFacts = {
  /** Number of the last import, '' where none is known. */
  lastImport: string;
  /** By its id. */
  causes: ReadonlyMap<string, RowCause>;
  /** When each import was begun last, in ms, by its number. */
  importedMs: ReadonlyMap<string, number>;
  isPaused: boolean;
};

export type FactsOf = (portfolio: string) => Promise<PortfolioFacts>;

/**
 * Reads the facts of a portfolio when its first row asks for them. Rows come portfolio by portfolio, so those of the last one alone
 * are kept.
 */
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
