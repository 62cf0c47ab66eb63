import { type AskingLine, declinedRequest, describeRow, otherRequest } from '../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import { is, isUnfinished } from '../../src/ledger/schema/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import type { Place, RowLine } from './decide-line.ts';

/**
 * A warning about other requests of the line's buyer. It is about another request (`otherRequest`), or about this request in other
 * portfolios (`elsewhere`), where it is under way or waits for approval. `isBesides`: the other request is made in addition. It is not if
 * it was refused, because a refused row is not sent again by itself. The warning also names a request of the buyer that a person declined.
 */
export async function warningOfOther(
  line: RowLine,
  { asking, rows, replaces }: { asking: AskingLine; rows: readonly BuyerRow[]; replaces: BuyerRow | undefined },
  { fileOf }: Pick<Place, 'fileOf'>,
): Promise<{ warning: Problem; isBesides: boolean; elsewhere: readonly BuyerRow[] } | undefined> {
  const { key, portfolio } = asking.row;
  const elsewhere = rows.filter(
    ({ row, state }) => row.key === key && row.portfolio !== portfolio && isUnfinished(state),
  );
  const same = elsewhere.find(({ state }) => is('isOpen', state)) ?? elsewhere[0];
  // Rows of other portfolios with the same request lead to one call, so they are no second request, whatever their amounts.
  const others = rows.filter((one) => !elsewhere.includes(one));
  const other = otherRequest(asking, others, replaces);
  const no = declinedRequest(asking, rows, replaces);
  if (!same && !other && !no) return undefined;
  const isBesides = other !== undefined && other.state !== 'refused';
  const result = isBesides ? 'this limit is requested as well' : 'limitline retry would send that one as well';
  const already = same && (is('isOpen', same.state) ? 'is under way' : 'waits for an approval');
  const described = async (row: BuyerRow) => describeRow(row, await fileOf(row));
  const waits = same
    ? `This request ${already} already, ${await described(same)}: it is requested once, by whichever goes first.`
    : '';
  const alike = other?.amount === asking.amount ? SAME_AMOUNT : '';
  const besides = other ? `The same buyer has another request${alike}, ${await described(other)}: ${result}.` : '';
  const declined = no?.declined ? declinedWords(await described(no), no.declined) : '';
  const message = [waits, besides, declined].filter(Boolean).join(' ');
  const warning = makeProblem(line.line, 'requested_limit', asking.amount, message);
  return { warning, isBesides, elsewhere };
}

function declinedWords(request: string, { words, atMs }: NonNullable<BuyerRow['declined']>): string {
  return `A request of this buyer, ${request}, was declined on ${new Date(atMs).toISOString().slice(0, 10)} ${words}.`;
}

const SAME_AMOUNT = ' of the same amount, with another request_reference or none';
