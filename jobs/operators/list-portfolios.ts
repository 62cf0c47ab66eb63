import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { type GrantedSums, grantedOf, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { Sums } from '../../src/ledger/counts/sums.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { GrantedShort, Standing, Summary } from '../../src/ledger/portfolios/summary.ts';
import { grantedShort, isoTime, rowCountOf, standingOf } from '../../src/ledger/portfolios/summary.ts';
import type { Meanings } from '../../src/status-meaning.ts';

export type Listed = Pick<Summary, Counted> & {
  /** The file of the last import. */
  file: string | null;
  /** Who imported that file; null if unknown. */
  by: string | null;
  standing: Standing;
  /** The currency of all its files; null where they name none, or several. */
  currency: string | null;
  /** The currencies that its files name. */
  currencies: string[];
  /** Whether some of its files name a currency, and others none. */
  withoutCurrency: boolean;
  sums: Sums & GrantedSums & GrantedShort;
};

type Counted =
  | 'portfolio'
  | 'started'
  | 'finished'
  | 'lines'
  | 'invalid'
  | 'duplicate'
  | 'rows'
  | 'states'
  | 'statuses';

/** How many portfolios are read at a time: a long list begins at once, and Redis can serve others in between. */
const PAGE = 50;

/** All portfolios of the account, in the order of their first import, page by page. */
export async function* listPortfolios(deps: {
  portfolios: Portfolios;
  statusMeanings: Pick<MeaningStore, 'read'>;
}): AsyncGenerator<Listed[]> {
  const [names, meanings] = await Promise.all([deps.portfolios.names(), deps.statusMeanings.read()]);
  for (let from = 0; from < names.length; from += PAGE) {
    const states = await Promise.all(names.slice(from, from + PAGE).map((name) => deps.portfolios.read(name)));
    yield states.map((state) => listedAs(state, meanings));
  }
}

function listedAs(state: PortfolioState, meanings: Meanings): Listed {
  const { name, file, startedMs, finishedMs, invalid, duplicate, states, statuses } = state;
  const rows = rowCountOf(state);
  const named = state.currencies.filter((one) => one !== '').toSorted();
  return {
    portfolio: name,
    file: file?.fileName ?? null,
    by: file?.by ?? null,
    started: isoTime(startedMs),
    finished: isoTime(finishedMs),
    standing: standingOf(state),
    currency: soleCurrency(state) ?? null,
    currencies: named,
    withoutCurrency: named.length > 0 && named.length < state.currencies.length,
    lines: rows + invalid + duplicate,
    invalid,
    duplicate,
    rows,
    states,
    statuses,
    sums: { ...state.sums, ...grantedOf(state, meanings), ...grantedShort(state, meanings) },
  };
}
