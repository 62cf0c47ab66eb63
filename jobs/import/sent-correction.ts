import type { BuyerRow, BuyerRows } from '../../src/ledger/buyer-rows.ts';
import { type Asking, describeRow, isUnsent } from '../../src/ledger/replacing.ts';
import { rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { correctionsOf } from './corrections.ts';

/**
 * Why a line's own row must not come back, as a problem; nothing where it may. One that gave way to a correction which was
 * sent asks for nothing any more: the file of before that is run once again would have the old amount requested as well as the
 * new. As long as nothing of the correction was sent, the line of the file that comes last counts, and it gives way in turn.
 */
export async function sentCorrectionProblem(
  asking: Asking,
  ofBuyer: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<string | undefined> {
  const sent = await sentCorrection(asking, ofBuyer, rows);
  if (!sent) return undefined;
  const remedy = asking.isNamed ? 'another request_reference' : 'a request_reference of its own';
  return `This request was corrected: ${describeRow(sent)} took its place and was sent. Leave this line out, or give it ${remedy} if both are meant.`;
}

async function sentCorrection(
  { row }: Asking,
  { isWhole, rows: known }: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<BuyerRow | undefined> {
  // Of a buyer with very many requests not all are known here.
  const own = known.find((one) => rowName(one.row) === rowName(row)) ?? (isWhole ? undefined : await rows.ofRow(row));
  if (own?.state !== 'cancelled') return undefined;
  for await (const next of correctionsOf(own, rows)) if (next && !isUnsent(next)) return next;
  return undefined;
}
