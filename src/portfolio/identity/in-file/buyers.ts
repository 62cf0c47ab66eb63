import type { BuyerBook, BuyerQuestion, BuyerSnapshot, BuyerStore } from '../buyer-book.ts';
import { makeBuyerBook } from '../buyer-book.ts';
import { makeDigestTable } from '../digest.ts';
import type { Buyer, BuyerLine, Decision, Holder, Identifier } from '../identity.ts';
import { anywhereOf, MOST_HOLDERS } from '../identity.ts';
import { type FilePlace, makeFileEntries } from './entries.ts';

type FileBuyers = BuyerStore & {
  /** Whether no earlier line of the file shares an identifier or a name with this one. The line then makes a new buyer without a lookup. */
  isStranger(line: BuyerLine): boolean;
  /** Stores the identifiers of a line whose buyer is new (`isStranger`). */
  bring(line: BuyerLine): void;
};

/**
 * The buyers of one file together with those of a store, for reading the file without writing. Without a store, only the file's own.
 *
 * A million lines with register number, name and country take some 85 MB (100 MB if some lack the country): 27 bytes a line, 15 for each
 * identifier, 16 MB for texts of the first lines. For later lines only line numbers are kept, and addresses are not compared.
 */
export function makeFileBuyers({ portfolio, importId, store }: FilePlace & { store?: BuyerStore }): FileBuyers {
  const table = makeDigestTable();
  const entries = makeFileEntries();
  const place = { portfolio, importId };
  const find = (digest: string) => table.find(digest, MOST_ENTRIES);
  // Names are compared beyond their country from the first line without one on. Most files have none.
  let hasUnplaced = false;

  return {
    isStranger({ identifiers, alikeHere, alikeBare, alikeBegun, alikeUnplaced, isPlaced, company }) {
      if (!isPlaced && !hasUnplaced) {
        hasUnplaced = true;
        for (const [entry, alike] of entries.alikes()) table.add(anywhereOf(alike), entry);
      }
      for (const { digest } of identifiers) if (table.has(digest)) return false;
      for (const digest of [alikeBare, alikeBegun]) if (digest !== undefined && table.has(digest)) return false;
      if (table.has(alikeHere) || (company && table.has(company.digest))) return false;
      return !hasUnplaced || !table.has(alikeUnplaced());
    },
    bring(line) {
      const { identifiers, alike, alikeHere, alikeBare, alikeBegun, isPlaced, company } = line;
      const entry = entries.add({ line, key: identifiers[0]?.digest ?? '' });
      for (const { digest } of identifiers) table.add(digest, entry);
      table.add(alikeHere, entry);
      if (alikeBare !== undefined && alikeBare !== alikeHere) table.add(alikeBare, entry);
      if (alikeBegun !== undefined) table.add(alikeBegun, entry);
      if (hasUnplaced && isPlaced) table.add(anywhereOf(alike), entry);
      if (company) table.add(company.digest, entry);
    },
    async read(questions) {
      // Few lines match an earlier one, so a miss must cost nothing.
      const found: { question: BuyerQuestion; entries: readonly number[] }[] = [];
      const own = new Set<string>();
      for (const question of questions) {
        const its = find(question.digest);
        if (its.length === 0) continue;
        found.push({ question, entries: its });
        for (const entry of its) own.add(entries.keyOf(entry));
      }
      // The store may know a buyer of the file by older identifiers. The buyer's key is one of them, so it is looked up, too.
      const asked = [...questions, ...[...own].map((digest): BuyerQuestion => ({ digest, kind: 'name' }))];
      const snapshot = store ? await store.read(asked) : emptySnapshot();
      // For buyers that the store found, the file may have further identifiers.
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
        // Every entry of a buyer must be found by the buyer's key, which is a digest of an identifier as well.
        table.add(one.key, entry);
        for (const digest of one.digests) if (digest !== one.key) table.add(digest, entry);
      }
      return true;
    },
  };
}

/**
 * The buyer book for a file that is read alone: lines are compared with each other only, and nothing is stored.
 *
 * Most lines share nothing with an earlier line. That test takes two microseconds; a full lookup takes ten.
 */
export function makeFileBook(place: FilePlace): BuyerBook {
  const buyers = makeFileBuyers(place);
  const book = makeBuyerBook(buyers, place);

  return {
    portfolio: place.portfolio,
    async tell(lines) {
      const decisions: Decision[] = [];
      for (const line of lines) {
        if (!buyers.isStranger(line)) {
          decisions.push(...(await book.tell([line])));
          continue;
        }
        const by = line.identifiers[0] as Identifier;
        if (line.isSound) buyers.bring(line);
        decisions.push({ is: 'new', key: by.digest, by, warnings: [] });
      }
      return decisions;
    },
  };
}

/** Most entries that are read for one digest: a buyer may have several, each from a line that added something. */
const MOST_ENTRIES = 4 * MOST_HOLDERS;

function emptySnapshot(): BuyerSnapshot {
  return { version: '', holders: new Map<string, Holder[]>(), buyers: new Map<string, Buyer>() };
}
