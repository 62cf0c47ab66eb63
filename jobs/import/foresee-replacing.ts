import { type BuyerRows, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { buyerRowsAfter, decideLine, type Place, type RowLine, requestsFor, warningOfOther } from './decide-line.ts';

/**
 * What an import would say of a line: that it is refused; or that its buyer has another request, and whether both are asked
 * for, or this one waits elsewhere already.
 */
export type OfBuyer = { problem: Problem } | { warning: Problem; isBesides: boolean; waits: boolean };

/**
 * Makes a function that tells of lines whether an import would refuse them, since nobody can tell which row they correct, or
 * would request them in addition to another request of the buyer that the ledger knows. It decides line by line, as an import
 * does, and changes nothing. Lines must come in the order of the file. Of a file that was imported before, the place has the
 * number of that import.
 */
export function makeReplacingForesight({
  rows,
  place,
}: {
  rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'ofRow'>;
  place: Place;
}) {
  /** Buyers a row of whom an earlier line of this file would replace: few, as corrections are. */
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
