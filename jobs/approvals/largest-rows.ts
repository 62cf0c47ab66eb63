import { Big } from 'big.js';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';

/** As many as a person reads before saying yes. */
const SHOWN = 10;

/** The largest rows of an approval, largest first. If `isExact` is false, others may be larger: see `rows.largestOf`. */
export async function largestRows(
  approval: Pick<Approval, 'id' | 'portfolio'>,
  { rows }: { rows: Pick<Rows, 'largestOf'> },
): Promise<{ largest: FoundRow[]; isExact: boolean }> {
  const { found, isExact } = await rows.largestOf(approval, SHOWN);
  return { largest: found.sort(byAmount).slice(0, SHOWN), isExact };
}

function byAmount({ result: one }: FoundRow, { result: other }: FoundRow): number {
  return new Big(other.request.limit.requested_limit).cmp(one.request.limit.requested_limit) || one.line - other.line;
}
