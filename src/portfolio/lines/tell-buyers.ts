import type { BuyerLine } from '../identity/buyer.ts';
import type { BuyerBook } from '../identity/buyer-book.ts';
import type { RecordedBuyerLookup } from '../identity/recorded-buyer.ts';
import { makeProblem } from '../problem.ts';
import type { LineDraft } from './draft.ts';
import { buyerLineOf } from './make-row.ts';

/** By whom lines are told their buyers, and what a person says of them: that it is that buyer, and which row is mended. */
type Telling = {
  book: BuyerBook;
  sameBuyer?: readonly number[] | undefined;
  mendedRow: (cells: readonly string[]) => string;
  /** In a results file: what it knows of buyers. */
  known?: RecordedBuyerLookup | undefined;
};

/**
 * Tells the drafts their buyers, once all else that may be wrong with them is known: only sound lines bring a buyer in.
 * Where it cannot be told, that is a problem of the line.
 */
export async function tellBuyers(
  drafts: LineDraft[],
  { book, sameBuyer = [], mendedRow, known }: Telling,
): Promise<void> {
  const asked: { draft: LineDraft; line: BuyerLine }[] = [];
  for (const draft of drafts) {
    const { record, values, problems } = draft;
    if (sameBuyer.includes(record.line)) values.same_buyer = 'yes';
    const told = { line: record.line, isSound: problems.length === 0, mends: mendedRow(record.cells) };
    const line = buyerLineOf(values, told);
    if (!line) continue;
    if (known) {
      const buyer = known(line, record.cells);
      if (buyer === undefined) problems.push(makeProblem(record.line, null, null, NOT_ITS_CELLS));
      if (buyer) line.known = buyer;
      // Of a line without a row, or with other cells than its row's, nobody says whom it means.
      else line.isSound = false;
    }
    asked.push({ draft, line });
  }
  const decisions = await book.tell(asked.map(({ line }) => line));
  for (const [place, { draft }] of asked.entries()) draft.decision = decisions[place];
}

const NOT_ITS_CELLS = 'These cells are no longer those of its row.';
