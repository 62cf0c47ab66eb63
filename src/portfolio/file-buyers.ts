import { type Buyer, type BuyerLine, MOST_HOLDERS } from './buyer.ts';
import { ANY_ROW, type Brought, type BuyerQuestion, type BuyerSnapshot, type BuyerStore } from './buyer-book.ts';
import { makeDigestTable } from './digest-table.ts';
import { IDENTIFIER_KINDS } from './identity.ts';

/**
 * The buyers of one file on top of those that a store knows, for reading it without writing anything down; without a
 * store, of the file alone.
 *
 * A million lines with register number, name and country cost some 90 MB: 28 bytes a line, 15 for each thing that tells a
 * buyer, and 16 MB for names and places of the first ones. Of later ones only the line is told, and places are not compared.
 */
export function makeFileBuyers({
  portfolio,
  importId,
  store,
}: {
  portfolio: string;
  importId: string;
  store?: BuyerStore;
}): BuyerStore {
  const table = makeDigestTable();
  const entries = makeEntries();
  const place = { portfolio, importId };

  return {
    async read(questions) {
      // Few lines ask for what another line brought, so what is not found must cost nothing.
      const found: { question: BuyerQuestion; entries: readonly number[] }[] = [];
      const own = new Set<string>();
      for (const question of questions) {
        const its = table.find(question.digest, MOST_ENTRIES);
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
        const its = table.find(key, MOST_ENTRIES).filter((at) => entries.keyOf(at) === key);
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
  return { version: '', holders: new Map(), buyers: new Map() };
}

/** The key, what tells likeness of names, the line, where the texts stand, which kinds of identifier, and the strongest. */
const AT = { key: 0, alike: 12, line: 18, texts: 22, kinds: 26, strongest: 27 } as const;
const ENTRY_BYTES = 28;

/** Enough that a million lines are a few hundred pieces, and a small file takes little. */
const ENTRIES_A_PIECE = 4_096;

/** Names and places of some 200,000 lines. */
const MOST_TEXT_BYTES = 16 * 1024 * 1024;

/** What is known of each line that brought something, in pieces of a fixed size: they never move. */
function makeEntries() {
  const pieces: Buffer[] = [];
  const texts = makeTexts();
  let count = 0;
  const at = (entry: number) => {
    const piece = pieces[Math.floor(entry / ENTRIES_A_PIECE)] as Buffer;
    const start = (entry % ENTRIES_A_PIECE) * ENTRY_BYTES;
    return piece.subarray(start, start + ENTRY_BYTES);
  };
  const keyOf = (entry: number) => at(entry).toString('base64url', AT.key, AT.alike);

  return {
    keyOf,
    strongestOf: (entry: number) => IDENTIFIER_KINDS[at(entry).readUInt8(AT.strongest)],

    add({ line, key }: Brought): number {
      const entry = count;
      count += 1;
      if (entry % ENTRIES_A_PIECE === 0) pieces.push(Buffer.alloc(ENTRIES_A_PIECE * ENTRY_BYTES));
      const bytes = at(entry);
      bytes.write(key, AT.key, 'base64url');
      bytes.writeUIntLE(line.alike, AT.alike, 6);
      bytes.writeUInt32LE(line.line, AT.line);
      bytes.writeUInt32LE(texts.isFull() ? 0 : texts.add(textsOf(line)), AT.texts);
      let mask = 0;
      for (const { kind } of line.identifiers) mask |= 1 << IDENTIFIER_KINDS.indexOf(kind);
      bytes.writeUInt8(mask, AT.kinds);
      bytes.writeUInt8(IDENTIFIER_KINDS.indexOf(line.identifiers[0]?.kind ?? 'name'), AT.strongest);
      return entry;
    },

    /** The buyer as the store knows it, with what these entries of the file add to it. */
    merged(
      known: Buyer | undefined,
      key: string,
      its: readonly number[],
      { portfolio, importId }: { portfolio: string; importId: string },
    ): Buyer {
      const lines = its.map((entry) => {
        const bytes = at(entry);
        const [name = null, reference = '', city = '', street = ''] = texts.read(bytes.readUInt32LE(AT.texts));
        const mask = bytes.readUInt8(AT.kinds);
        const kinds = IDENTIFIER_KINDS.filter((_kind, bit) => mask & (1 << bit));
        const alike = bytes.readUIntLE(AT.alike, 6);
        return { line: bytes.readUInt32LE(AT.line), kinds, name: { written: name, alike }, reference, city, street };
      });
      const first = { portfolio, row: ANY_ROW, line: lines[0]?.line ?? 0 };
      const names = [...(known?.names ?? []), ...lines.map(({ name }) => name)];
      return {
        key,
        kinds: [...new Set([...(known?.kinds ?? []), ...lines.flatMap(({ kinds }) => kinds)])],
        names: names.filter(({ alike }, place) => names.findIndex((name) => name.alike === alike) === place),
        reference: known?.reference || (lines.find(({ reference }) => reference !== '')?.reference ?? ''),
        city: known?.city || (lines.find(({ city }) => city !== '')?.city ?? ''),
        street: known?.street || (lines.find(({ street }) => street !== '')?.street ?? ''),
        first: known?.first ?? first,
        // What stands in this file is no other row's to mend.
        stands: { ...first, importId },
      };
    },
  };
}

/** Name, reference, city and street. */
function textsOf({ name, identifiers: [strongest], city, street }: BuyerLine): string[] {
  return [name, strongest?.kind === 'reference' ? strongest.written : '', city, street];
}

/** Texts in one growing piece, until it is full; 0 is the place of those that are not kept. */
function makeTexts() {
  let piece = Buffer.alloc(4_096);
  let used = 1;
  return {
    isFull: () => used + MOST_ENTRY_BYTES > MOST_TEXT_BYTES,
    add(words: readonly string[]): number {
      const text = words.map((word) => word.slice(0, MOST_LETTERS).replaceAll('\n', ' ')).join('\n');
      const length = Buffer.byteLength(text);
      while (used + length + 2 > piece.length) piece = Buffer.concat([piece, Buffer.alloc(piece.length)]);
      const start = used;
      piece.writeUInt16LE(length, start);
      piece.write(text, start + 2);
      used += length + 2;
      return start;
    },
    read(start: number): string[] {
      if (start === 0) return [];
      const length = piece.readUInt16LE(start);
      return piece.toString('utf8', start + 2, start + 2 + length).split('\n');
    },
  };
}

/** Four texts of 80 letters, each of 3 bytes at the most in a text of JavaScript's, and what stands between them. */
const MOST_ENTRY_BYTES = 1_000;

/** As many as a sentence shows, and enough to tell a city or street by. */
const MOST_LETTERS = 80;
