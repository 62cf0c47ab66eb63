import { Big } from 'big.js';
import type { Approval } from '../../src/ledger/approvals/approval.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import type { FoundRow } from '../../src/ledger/search/row-matches.ts';

/** As many as one looks through before one says yes. */
const SHOWN = 10;

/** Rows read at a time: they are found by their amounts, and a page of them takes milliseconds. */
const PAGE = 200;

/**
 * Halvings of the range in which the smallest of the largest is looked for: some twenty from the sum of a million rows down to one of
 * them, where a look finds nothing and takes a millisecond, and as many between amounts that differ by little.
 */
const MOST_STEPS = 48;

/**
 * The largest rows of an approval, however many it has: their amounts are looked for by the index of amounts, and not by going through
 * them. `isExact` is false where so many rows ask for nearly the same that they cannot be told apart by a few looks.
 */
export async function largestRows(
  { id, portfolio, sum, rows: count }: Pick<Approval, 'id' | 'portfolio' | 'sum' | 'rows'>,
  { rows }: { rows: Pick<Rows, 'page'> },
): Promise<{ largest: FoundRow[]; isExact: boolean }> {
  /** Rows from an amount on; `isAll` where there are no others. */
  const from = async (min: Big | undefined): Promise<{ found: FoundRow[]; isAll: boolean }> => {
    const filter = { states: ['awaiting'] as const, ...(min === undefined ? {} : { min: min.toFixed() }) };
    const { found, next } = await rows.page(portfolio, filter, { count: PAGE });
    return { found: found.filter(({ result }) => result.approval === id), isAll: next === undefined };
  };
  let best = await from(undefined);
  let [low, high] = [new Big(0), new Big(sum)];
  for (let step = 0; !best.isAll && step < MOST_STEPS; step += 1) {
    const middle = low.plus(high).div(2).round(10, Big.roundDown);
    const looked = await from(middle);
    if (looked.isAll && looked.found.length < Math.min(SHOWN, count)) {
      high = middle;
      continue;
    }
    best = looked;
    low = middle;
  }
  const largest = best.found.sort(byAmount).slice(0, SHOWN);
  return { largest, isExact: best.isAll };
}

function byAmount({ result: one }: FoundRow, { result: other }: FoundRow): number {
  return new Big(other.request.limit.requested_limit).cmp(one.request.limit.requested_limit) || one.line - other.line;
}
