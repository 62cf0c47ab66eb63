import { likeness } from '../../likeness.ts';
import type { KnownColumn } from './known-columns.ts';

/** One thing that a mapping says: of the header that is written so, which column of ours it is, or that it is none. */
export type MappingEntry = { written: string; known: KnownColumn | null };

/** What a mapping says of one file's headers. */
export type MatchedMapping = {
  /** The entry that speaks of this header. */
  entryOf(header: string): MappingEntry | undefined;
  /** Those that speak of none of the file's headers, in the mapping's order. */
  unmatched: MappingEntry[];
};

/**
 * Finds the headers that a mapping speaks of. One that is written as in the mapping is meant before those that are only
 * like it, and of several entries that are like a header the first is.
 */
export function matchMapping(
  headers: readonly string[],
  mapped: Readonly<Record<string, KnownColumn | null>>,
): MatchedMapping {
  const entries = Object.entries(mapped).map(([written, known]): MappingEntry => ({ written: written.trim(), known }));
  const equal = new Map(entries.map((entry) => [entry.written, entry]));
  const isThere = new Set(headers);
  const alike = new Map<string, MappingEntry>();
  for (const entry of entries) {
    const name = likeness(entry.written);
    // What consists of signs alone is like everything of that kind.
    if (name !== '' && !isThere.has(entry.written) && !alike.has(name)) alike.set(name, entry);
  }
  const entryOf = (header: string) => equal.get(header) ?? alike.get(likeness(header));
  const used = new Set(headers.map(entryOf));
  return { entryOf, unmatched: entries.filter((entry) => !used.has(entry)) };
}
