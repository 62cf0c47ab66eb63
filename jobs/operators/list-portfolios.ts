import type { PortfolioState } from '../../src/ledger/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { isoTime, keptSums, rowCountOf, type Summary, sumsOf } from '../../src/ledger/summary.ts';
import type { Sums } from '../../src/ledger/sums.ts';

/** How far a portfolio is: an import of it runs, or was given up; it is paused; rows are open; or nothing is. */
type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'settled';

/** A portfolio in a list: what tells it from others, and what its summary has that takes no walk over its rows. */
export type Listed = Pick<Summary, Counted> & {
  /** The file that was imported last. */
  file: string | null;
  standing: Standing;
  /** Null where it is not known, and would take a walk over all rows to know. */
  sums: Sums | null;
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

/** So many are asked for at a time: a list of thousands begins at once, and Redis serves others in between. */
const PAGE = 50;

/** Rows that a list adds up by itself, in all: a fraction of a second. Larger portfolios have their sums since somebody reported on them. */
const ROWS_ADDED_UP = 5_000;

/** All portfolios of the account, in the order of their first import, page by page. */
export async function* listPortfolios(deps: { portfolios: Portfolios; rows: Rows }): AsyncGenerator<Listed[]> {
  const names = await deps.portfolios.names();
  let affordable = ROWS_ADDED_UP;
  for (let from = 0; from < names.length; from += PAGE) {
    const states = await Promise.all(names.slice(from, from + PAGE).map((name) => deps.portfolios.read(name)));
    const listed: Listed[] = [];
    for (const state of states) {
      const known = keptSums(state);
      const isAffordable = state.finishedMs !== undefined && rowCountOf(state) <= affordable;
      if (!known && isAffordable) affordable -= rowCountOf(state);
      listed.push(listedAs(state, known ?? (isAffordable ? await sumsOf(state, deps) : undefined)));
    }
    yield listed;
  }
}

function listedAs(state: PortfolioState, sums: Sums | undefined): Listed {
  const { name, file, startedMs, finishedMs, invalid, duplicate, states, statuses } = state;
  const rows = rowCountOf(state);
  return {
    portfolio: name,
    file: file?.fileName ?? null,
    started: isoTime(startedMs),
    finished: isoTime(finishedMs),
    standing: standingOf(state),
    lines: rows + invalid + duplicate,
    invalid,
    duplicate,
    rows,
    states,
    statuses,
    sums: sums ?? null,
  };
}

function standingOf({ importing, interrupted, paused, finishedMs }: PortfolioState): Standing {
  if (importing) return 'importing';
  if (paused !== undefined) return 'paused';
  if (interrupted) return 'interrupted';
  return finishedMs === undefined ? 'open' : 'settled';
}
