import { type BuyerBook, CLOSED_BOOK } from '../../../src/portfolio/identity/buyer-book.ts';

/**
 * A book that asks another one only about lines that no row has: most lines of a file have one, and whom they mean is not asked. Of
 * those, each is taken for the buyer that its strongest identifier tells.
 */
export type RowlessBook = BuyerBook & {
  /** Whether this line, of those that were told last, has a row. */
  hasRow(line: number): boolean;
};

/** @param rowLines which lines of a span have a row; both ends are included */
export function makeRowlessBook(
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
