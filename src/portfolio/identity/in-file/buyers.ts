import { type Buyer, type BuyerLine, type Holder, MOST_HOLDERS } from '../buyer.ts';
import type { BuyerQuestion, BuyerSnapshot, BuyerStore } from '../buyer-book.ts';
import { makeDigestTable } from '../digest-table.ts';
import { type FilePlace, makeFileEntries } from './entries.ts';

/** The buyers of a file. */
type FileBuyers = BuyerStore & {
  /**
   * Whether no line of the file has anything that the line gives: it is a buyer of its own, as far as the file goes, and
   * takes no look into it.
   */
  isStranger(line: BuyerLine): boolean;
  /** Takes down what a stranger brings. */
  bring(line: BuyerLine): void;
};

/**
 * The buyers of one file on top of those that a store knows, for reading it without writing anything down; without a
 * store, of the file alone.
 *
 * A million lines with register number, name and country cost some 85 MB: 27 bytes a line, 15 for each thing that tells a
 * buyer, and 16 MB for names and places of the first ones. Of later ones only the line is told, and places are not compared.
 */
export function makeFileBuyers({ portfolio, importId, store }: FilePlace & { store?: BuyerStore }): FileBuyers {
  const table = makeDigestTable();
  const entries = makeFileEntries();
  const place = { portfolio, importId };
  const find = (digest: string) => table.find(digest, MOST_ENTRIES);

  return {
    isStranger({ identifiers, alikeHere }) {
      for (const { digest } of identifiers) if (table.has(digest)) return false;
      return !table.has(alikeHere);
    },
    bring(line) {
      const { identifiers, alikeHere } = line;
      const entry = entries.add({ line, key: identifiers[0]?.digest ?? '' });
      for (const { digest } of identifiers) table.add(digest, entry);
      table.add(alikeHere, entry);
    },
    async read(questions) {
      // Few lines ask for what another line brought, so what is not found must cost nothing.
      const found: { question: BuyerQuestion; entries: readonly number[] }[] = [];
      const own = new Set<string>();
      for (const question of questions) {
        const its = find(question.digest);
        if (its.length === 0) continue;
        found.push({ question, entries: its });
        for (const entry of its) own.add(entries.keyOf(entry));
      }
      // Whom the file gave a new identifier, the store knows by the older ones, of which its key is one.
      const asked = [...questions, ...[...own].map((digest): BuyerQuestion => ({ digest, kind: 'name' }))];
      const snapshot = store ? await store.read(asked) : emptySnapshot();
      // And whom the store finds, the file may have given something that was not asked for.
      for (const key of snapshot.buyers.keys()) own.add(key);
      for (const key of own) {
        const its = find(key).filter((at) => entries.keyOf(at) === key);
        if (its.length === 0) continue;
        snapshot.buyers.set(key, entries.merged(snapshot.buyers.get(key), key, its, place));
      }
      for (const { question, entries: its } of found) {
        const holders = snapshot.holders.get(question.digest) ?? [];
        for (const entry of its) {
          const key = entries.keyOf(entry);
          const alone = entries.strongestOf(entry) === question.kind;
          const known = holders.find((holder) => holder.key === key);
          if (known) known.alone ||= alone;
          else if (holders.length < MOST_HOLDERS) holders.push({ key, alone });
        }
        snapshot.holders.set(question.digest, holders);
      }
      return snapshot;
    },
    unsent: async (buyers) => (store ? store.unsent(buyers) : new Set()),
    async write({ brought }) {
      for (const one of brought) {
        const entry = entries.add(one);
        // So that all entries of a buyer are found by its key; an identifier of it is what the key is, too.
        table.add(one.key, entry);
        for (const digest of one.digests) if (digest !== one.key) table.add(digest, entry);
      }
      return true;
    },
  };
}

/** A buyer may have brought several things, each with a line of its own. */
const MOST_ENTRIES = 4 * MOST_HOLDERS;

function emptySnapshot(): BuyerSnapshot {
  return { version: '', holders: new Map<string, Holder[]>(), buyers: new Map<string, Buyer>() };
}
