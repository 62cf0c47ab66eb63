import type { BuyerLine } from '../identity/buyer.ts';
import type { BuyerBook } from '../identity/buyer-book.ts';
import type { RecordedBuyerLookup } from '../identity/recorded-buyer.ts';
import { makeProblem } from '../problem.ts';
import type { LineDraft } from './draft.ts';
import { buyerLineOf } from './make-row.ts';

/** The buyer book, and what a person said of lines: which mean the same buyer, and which row each corrects. */
type Telling = {
  book: BuyerBook;
  sameBuyer?: readonly number[] | undefined;
  mendedRow: (cells: readonly string[]) => string;
  /** For a results file: which buyer each of its rows has. */
  known?: RecordedBuyerLookup | undefined;
};

/**
 * Decides the drafts' buyers, after all their other checks: only valid lines may add a buyer. A line whose buyer is
 * unclear gets a problem.
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
      // A line without a row, or with other cells than its row, does not prove which buyer it means.
      else line.isSound = false;
    }
    asked.push({ draft, line });
  }
  const decisions = await book.tell(asked.map(({ line }) => line));
  for (const [place, { draft }] of asked.entries()) draft.decision = decisions[place];
}

const NOT_ITS_CELLS = 'The cells of this line were changed, so they no longer match the row that it names.';
