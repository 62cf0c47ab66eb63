import { likeness } from '../../likeness.ts';
import type { KnownColumn } from './known-columns.ts';

/** One entry of a mapping: a header, and its known column or null for none. */
export type MappingEntry = { written: string; known: KnownColumn | null };

/** A mapping applied to one file's headers. */
export type MatchedMapping = {
  /** The entry for this header. */
  entryOf(header: string): MappingEntry | undefined;
  /** Entries without a header in this file, in the mapping's order. */
  unmatched: MappingEntry[];
};

/**
 * Matches a mapping's entries with headers. An exact match comes before a similar one. Among similar entries, the first
 * counts.
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
    // Names of signs only would all be similar to each other.
    if (name !== '' && !isThere.has(entry.written) && !alike.has(name)) alike.set(name, entry);
  }
  const entryOf = (header: string) => equal.get(header) ?? alike.get(likeness(header));
  const used = new Set(headers.map(entryOf));
  return { entryOf, unmatched: entries.filter((entry) => !used.has(entry)) };
}
