import type { CheckName, FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { rowFacts } from '../row-facts.ts';

/** Rows that one finding names; the others are counted. A lost index would name all rows. */
export const MOST_NAMED = 1_000;

const PAGE = 100;

/** Collects row keys by finding, up to {@link MOST_NAMED} each, to limit memory. */
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

/** Reports each named row as an item, and the others together as one. */
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
