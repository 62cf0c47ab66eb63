import type { BuyerRows } from '../src/ledger/buyer-rows.ts';
import { rowName } from '../src/ledger/row-id.ts';
import type { Rows } from '../src/ledger/rows.ts';
import type { Problem } from '../src/portfolio/row.ts';
import { decideLine, grown, type Place, type RowLine } from './decide-line.ts';

/**
 * Makes a look at which lines of a file an import would refuse, since nobody can tell which row they correct: by what putting
 * them in would decide, line by line, and without changing anything. Lines must come in the order of the file. Of a file that
 * was imported before, the place has the number of that import.
 */
export function makeReplacingForesight({ rows, place }: { rows: Pick<Rows, 'ofBuyers' | 'ofRow'>; place: Place }) {
  /** Buyers a row of whom an earlier line of this file would replace: few, as corrections are. */
  const corrected = new Map<string, BuyerRows>();
  return async (lines: readonly RowLine[]): Promise<Map<number, Problem>> => {
    const known = await rows.ofBuyers([...new Set(lines.map(({ row }) => row.buyer))]);
    const problems = new Map<number, Problem>();
    for (const line of lines) {
      const { buyer } = line.row;
      const ofBuyer = corrected.get(buyer) ?? known.get(buyer) ?? { count: 0, rows: [] };
      const decision = await decideLine(place, line, { ofBuyer, rows });
      if ('problem' in decision) problems.set(line.line, decision.problem);
      else if (decision.replaces) {
        const isThere = ofBuyer.rows.some((one) => rowName(one.row) === rowName(decision.asking.row));
        const is = isThere ? 'renewed' : 'added';
        corrected.set(buyer, grown(ofBuyer, decision.asking, { is, ...decision }));
      }
    }
    return problems;
  };
}
