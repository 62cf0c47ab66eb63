import type { BuyerRow, BuyerRows } from '../../src/ledger/buyer-rows.ts';
import { type Asking, describeRow, isUnsent } from '../../src/ledger/replacing.ts';
import { rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';

/** Corrections of corrections that are followed; a person makes a few. */
const MOST_HOPS = 100;

/**
 * Why a line's own row must not come back, in words; nothing where it may. One that gave way to a correction which was sent
 * asks for nothing any more: the file of before that is run once again would have the old amount requested besides the new.
 * As long as nothing of the correction was sent, the line of the file that comes last stands, and it gives way in turn.
 */
export async function whyGone(
  asking: Asking,
  ofBuyer: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<string | undefined> {
  const sent = await sentInPlace(asking, ofBuyer, rows);
  if (!sent) return undefined;
  const besides = asking.isNamed ? 'another request_reference' : 'a request_reference of its own';
  return `This request was corrected: ${describeRow(sent)} stands in its place, and that was sent. Leave this line out, or give it ${besides} if both are meant.`;
}

async function sentInPlace(
  { row }: Asking,
  { count, rows: told }: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<BuyerRow | undefined> {
  const known = told.find((one) => rowName(one.row) === rowName(row));
  // Of a buyer with very many requests not all are told.
  const own = known ?? (count > told.length ? await rows.ofRow(row) : undefined);
  let key = own?.state === 'cancelled' ? own.replaced?.key : undefined;
  for (let hop = 0; key && hop < MOST_HOPS; hop += 1) {
    const next = await rows.ofRow({ portfolio: row.portfolio, key });
    if (next && !isUnsent(next)) return next;
    key = next?.replaced?.key;
  }
  return undefined;
}
