import type { BuyerRows } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { isUnfinished } from '../../src/ledger/schema/row.ts';
import type { Row } from '../../src/portfolio/lines/row.ts';
import { isSentUnder } from '../rows/sent-for.ts';
import { hasReference, type RowLine } from './decide-line.ts';

/**
 * Reads the known requests of these lines' buyers. A line without a request_reference may correct any request of its buyer, and a
 * request_reference may differ from any by its zeros, so all of them are read. Fewer are enough for a line whose own request is among them.
 */
export async function requestsFor(
  lines: readonly RowLine[],
  portfolio: string,
  rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'read'>,
): Promise<Map<string, BuyerRows>> {
  const known = await rows.ofBuyers([...new Set(lines.map(({ row }) => row.buyer))]);
  const isOwn = ({ key, buyer }: Row) =>
    known.get(buyer)?.rows.some((one) => one.row.key === key && one.state !== 'cancelled');
  const more = lines.filter(({ row }) => known.get(row.buyer)?.isWhole === false && !(hasReference(row) && isOwn(row)));
  for (const buyer of new Set(more.map(({ row }) => row.buyer))) known.set(buyer, await rows.wholeOf(buyer));
  for (const { row } of lines) keepFormerKey(row, known.get(row.buyer));
  await readSent(lines, { portfolio, known }, rows);
  return known;
}

/** Reads what other portfolios sent, or are to send, for the requests of these lines, all together. */
async function readSent(
  lines: readonly RowLine[],
  { portfolio, known }: { portfolio: string; known: ReadonlyMap<string, BuyerRows> },
  rows: Pick<Rows, 'read'>,
): Promise<void> {
  const sent = lines.flatMap(({ row: { key, buyer } }) => {
    const found = (known.get(buyer)?.rows ?? []).filter(
      (one) => isSentUnder(key, one) || (one.row.key === key && isUnfinished(one.state)),
    );
    return found.some(({ row }) => row.portfolio === portfolio) ? [] : found;
  });
  const results = await rows.read(sent.map(({ row }) => row));
  for (const [place, one] of sent.entries()) one.request = results[place]?.request;
}

/** Gives a line the key by which the ledger knows its request since an earlier version: else its limit would be requested again. */
function keepFormerKey(row: Row, ofBuyer: BuyerRows | undefined): void {
  const isKnown = (wanted: string) => ofBuyer?.rows.some(({ row: { key } }) => key === wanted);
  if (row.formerKey !== undefined && isKnown(row.formerKey) && !isKnown(row.key)) row.key = row.formerKey;
}
