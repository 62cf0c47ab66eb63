import type { CheckName, FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { rowFacts } from '../row-facts.ts';

/** Rows of one finding that are named each; behind these they are only counted, since a lost index lacks all of them. */
export const MOST_NAMED = 1_000;

/** Rows read at a time. */
const PAGE = 100;

/** Row keys by what was found of them: the first ones, so that an index that is gone takes no memory. */
export function makeNamedRows() {
  const keysBy = new Map<string, Set<string>>();
  return {
    add(words: string, key: string): void {
      const keys = keysBy.get(words) ?? new Set();
      keysBy.set(words, keys);
      if (keys.size < MOST_NAMED) keys.add(key);
    },
    of: (words: string): readonly string[] => [...(keysBy.get(words) ?? [])],
  };
}

type Found = {
  check: CheckName;
  portfolio: string;
  says: string;
  rows: number;
  keys: readonly string[];
  isMended: boolean;
};

/** Tells of rows, each as an item of its own as far as they are named, and of the others as one. */
export async function tellRows(
  { check, portfolio, says, rows, keys, isMended }: Found,
  { sink, ledger }: { sink: FoundSink; ledger: Pick<Rows, 'read'> },
): Promise<void> {
  const named = keys.slice(0, rows);
  for (let from = 0; from < named.length; from += PAGE) {
    const page = named.slice(from, from + PAGE).map((key) => ({ portfolio, key }));
    const results = await ledger.read(page);
    for (const [place, row] of page.entries()) {
      const result = results[place];
      const facts = result ? rowFacts(row, result) : row;
      await sink.found({ check, says, isMended, ...facts });
    }
  }
  const others: FoundItem = { check, portfolio, says, isMended, rows: rows - named.length };
  if (rows > named.length) await sink.found(others);
}
