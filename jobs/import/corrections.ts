import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';

/** How many replacements in a row are followed. People make a few. */
const MOST_HOPS = 100;

/** Follows the rows that replaced this one, in order. Ends with nothing if a replacing row does not exist. */
export async function* correctionsOf(
  { row: { portfolio }, replaced }: BuyerRow,
  rows: Pick<Rows, 'ofRow'>,
): AsyncGenerator<BuyerRow | undefined> {
  let key = replaced?.key;
  for (let hop = 0; key && hop < MOST_HOPS; hop += 1) {
    const next = await rows.ofRow({ portfolio, key });
    yield next;
    key = next?.replaced?.key;
  }
}
