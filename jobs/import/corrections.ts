import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';

/** Corrections of corrections that are followed; a person makes a few. */
const MOST_HOPS = 100;

/** The rows that took the place of this one, each that of the one before; nothing comes last where one is not there. */
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
