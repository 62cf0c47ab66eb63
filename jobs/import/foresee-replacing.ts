import { type BuyerRows, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { buyerRowsAfter, decideLine, type Place, type RowLine, requestsFor, warningOfOther } from './decide-line.ts';

/**
 * What importing a line would do: refuse it, or warn of another request of its buyer. `isBesides`: both would be requested.
 * `waits`: this request waits for approval elsewhere.
 */
export type OfBuyer = { problem: Problem } | { warning: Problem; isBesides: boolean; waits: boolean };

/**
 * Makes a function that predicts for lines whether an import would refuse or warn because of their buyer's other requests.
 * Decides line by line as an import does, and changes nothing. Lines must come in file order. For a file that was imported
 * before, `place` has that import's number.
 */
export function makeReplacingForesight({
  rows,
  place,
}: {
  rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'ofRow'>;
  place: Place;
}) {
  /** Buyers with a row that an earlier line of this file would replace. Usually few. */
  const corrected = new Map<string, BuyerRows>();
  return async (lines: readonly RowLine[]): Promise<Map<number, OfBuyer>> => {
    const known = await requestsFor(lines, rows);
    const found = new Map<number, OfBuyer>();
    for (const line of lines) {
      const { buyer } = line.row;
      const ofBuyer = corrected.get(buyer) ?? known.get(buyer) ?? NO_BUYER_ROWS;
      const decision = await decideLine(place, line, { ofBuyer, rows });
      if ('problem' in decision) {
        found.set(line.line, { problem: decision.problem });
        continue;
      }
      const besides = warningOfOther(line, { ...decision, rows: ofBuyer.rows });
      if (besides) found.set(line.line, besides);
      if (decision.replaces) {
        const isThere = ofBuyer.rows.some((one) => rowName(one.row) === rowName(decision.asking.row));
        const is = isThere ? 'renewed' : 'added';
        corrected.set(buyer, buyerRowsAfter(ofBuyer, decision.asking, { is, ...decision }));
      }
    }
    return found;
  };
}
