import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { BuyerBook, BuyerStore } from '../../../src/portfolio/identity/buyer-book.ts';
import { CLOSED_BOOK, makeBuyerBook } from '../../../src/portfolio/identity/buyer-book.ts';
import { makeFileBuyers } from '../../../src/portfolio/identity/in-file/buyers.ts';

/** A book of the buyers of an import's lines, as the ledger knows them now. It is used read-only. */
export function openRowlessBook(
  { portfolio, importId }: { portfolio: string; importId?: string },
  { rows, store }: { rows: Pick<Rows, 'atLines'>; store: BuyerStore },
): RowlessBook {
  const place = { portfolio, importId: importId ?? '' };
  return makeRowlessBook(makeBuyerBook(makeFileBuyers({ ...place, store }), place), async (from, to) => {
    const known = new Set<number>();
    for (let at = from; importId !== undefined && at <= to; at += SPAN_LINES) {
      const span = { from: at, to: Math.min(to, at + SPAN_LINES - 1) };
      for (const { line } of await rows.atLines(portfolio, importId, span)) known.add(line);
    }
    return known;
  });
}

/**
 * The number of lines whose rows are read at once. A hundred imports may have rows at each line, and Redis should be busy for a few ms
 * only.
 */
const SPAN_LINES = 50;

/**
 * A buyer book that looks up buyers only of lines without a row, since most lines have one. For the other lines, the strongest
 * identifier decides.
 */
type RowlessBook = BuyerBook & {
  /** Whether this line has a row, of the lines last passed to `tell`. */
  hasRow(line: number): boolean;
};

/** @param rowLines which lines of a span have a row, both ends included */
function makeRowlessBook(
  book: BuyerBook,
  rowLines: (from: number, to: number) => Promise<ReadonlySet<number>>,
): RowlessBook {
  let known: ReadonlySet<number> = new Set();
  return {
    portfolio: book.portfolio,
    hasRow: (line) => known.has(line),
    async tell(lines) {
      const [first, last] = [lines[0], lines.at(-1)];
      if (!first || !last) {
        known = new Set();
        return [];
      }
      known = await rowLines(first.line, last.line);
      const rowless = lines.filter(({ line }) => !known.has(line));
      if (rowless.length === lines.length) return book.tell(lines);
      const [decisions, others] = await Promise.all([
        book.tell(rowless),
        CLOSED_BOOK.tell(lines.filter(({ line }) => known.has(line))),
      ]);
      const [asked, unasked] = [decisions.values(), others.values()];
      return lines.flatMap(({ line }) => (known.has(line) ? unasked : asked).next().value ?? []);
    },
  };
}
