import type { FailingPortfolio } from '../../src/ledger/counts/glances.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { FoundRow, RowFilter } from '../../src/ledger/search/row-filter.ts';

/** A search for failed rows, in one portfolio or in all. */
type FailedSearch = {
  portfolio?: string | undefined;
  /** Refused and held rows if left out. */
  state?: 'refused' | 'held' | undefined;
  cause?: string | undefined;
  /** The text that is searched for: a line number, the beginning of a name, a reference, a number or an id. */
  text?: string | undefined;
  /** The `next` of the page before, which says where that page ended; only within one portfolio. */
  after?: string | undefined;
};

/** The most pages of rows that a search reads in each portfolio: few rows of a page may match. */
const MOST_PAGES = 5;

/**
 * Failed rows from the ledger, which has all of them; BullMQ keeps only some thousands of failed jobs. `next`: the next page,
 * in one portfolio. `isMore`: whether further rows match.
 *
 * @throws LimitlineError `USAGE` for a text while the search is turned off
 */
export async function failedRows(
  { portfolio, state, cause, text, after }: FailedSearch,
  { count }: { count: number },
  { rows, failing }: { rows: Pick<Rows, 'page'>; failing: () => Promise<FailingPortfolio[]> },
): Promise<{ found: FoundRow[]; next?: string; isMore: boolean }> {
  const filter: RowFilter = {
    states: state === undefined ? ['refused', 'held'] : [state],
    ...(cause === undefined ? {} : { cause }),
    ...(text === undefined ? {} : { text }),
  };
  if (portfolio !== undefined) {
    const { found, next } = await pageIn(portfolio, filter, { after, count }, rows);
    return { found, isMore: next !== undefined, ...(next === undefined ? {} : { next }) };
  }
  const found: FoundRow[] = [];
  for (const { name } of await failing()) {
    const page = await pageIn(name, filter, { after: undefined, count: count - found.length }, rows);
    found.push(...page.found);
    if (page.next !== undefined || found.length >= count) return { found, isMore: true };
  }
  return { found, isMore: false };
}

async function pageIn(
  portfolio: string,
  filter: RowFilter,
  { after, count }: { after: string | undefined; count: number },
  rows: Pick<Rows, 'page'>,
): Promise<{ found: FoundRow[]; next?: string }> {
  const found: FoundRow[] = [];
  let place = after;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await rows.page(portfolio, filter, { after: place, count: count - found.length });
    found.push(...page.found);
    if (page.next === undefined) return { found };
    place = page.next;
    if (found.length >= count) break;
  }
  return place === undefined ? { found } : { found, next: place };
}
