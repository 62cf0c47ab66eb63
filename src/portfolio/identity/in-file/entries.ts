import { ANY_ROW, type Brought } from '../buyer-book.ts';
import { DIGEST_BYTES, writeDigest } from '../digest.ts';
import { type Buyer, type BuyerLine, IDENTIFIER_KINDS } from '../identity.ts';

export type FilePlace = { portfolio: string; importId: string };

/**
 * Entries of a file about its buyers, numbered from 0: one for each line that added something about its buyer. An entry takes 27 bytes,
 * plus texts for messages if it is among the first. The store grows by pieces of a fixed size, which are never copied.
 */
export function makeFileEntries() {
  const pieces: Piece[] = [];
  const texts = makeFileTexts();
  let count = 0;
  const pieceOf = (entry: number) => pieces[Math.floor(entry / ENTRIES_A_PIECE)] as Piece;

  const strongestOf = (entry: number) => {
    const mask = pieceOf(entry).kinds[entry % ENTRIES_A_PIECE] ?? 0;
    return IDENTIFIER_KINDS.find((_kind, bit) => mask & (1 << bit)) ?? 'name';
  };

  const alikeOf = (entry: number) => {
    const [piece, at] = [pieceOf(entry), entry % ENTRIES_A_PIECE];
    return (piece.alikeHigh[at] ?? 0) * ALIKE_LOW + (piece.alikeLow[at] ?? 0);
  };

  function read(entry: number) {
    const [piece, at] = [pieceOf(entry), entry % ENTRIES_A_PIECE];
    const [name = null, reference = '', city = '', street = '', numbers = ''] = texts.read(piece.texts[at] ?? 0);
    const mask = piece.kinds[at] ?? 0;
    const kinds = IDENTIFIER_KINDS.filter((_kind, bit) => mask & (1 << bit));
    const named = { written: name, alike: alikeOf(entry) };
    return { line: piece.line[at] ?? 0, kinds, name: named, reference, city, street, numbers };
  }

  return {
    /** The strongest kind of identifier in the line. */
    strongestOf,

    /** The names of all entries so far, as numbers for comparing them. */
    *alikes(): Iterable<[entry: number, alike: number]> {
      for (let entry = 0; entry < count; entry += 1) yield [entry, alikeOf(entry)];
    },

    add({ line, key }: Pick<Brought, 'line' | 'key'>): number {
      const entry = count;
      count += 1;
      const at = entry % ENTRIES_A_PIECE;
      if (at === 0) pieces.push(emptyPiece());
      const piece = pieceOf(entry);
      writeDigest(piece.key, key, at * DIGEST_BYTES);
      piece.alikeLow[at] = line.alike >>> 0;
      piece.alikeHigh[at] = Math.floor(line.alike / ALIKE_LOW);
      piece.line[at] = line.line;
      piece.texts[at] = texts.add(line);
      let mask = 0;
      for (const { kind } of line.identifiers) mask |= 1 << IDENTIFIER_KINDS.indexOf(kind);
      piece.kinds[at] = mask;
      return entry;
    },

    /** The key of the line's buyer. */
    keyOf(entry: number): string {
      const start = (entry % ENTRIES_A_PIECE) * DIGEST_BYTES;
      return pieceOf(entry).key.toString('base64url', start, start + DIGEST_BYTES);
    },

    /** The known buyer, if there is one, with what these entries add. */
    merged(known: Buyer | undefined, key: string, its: readonly number[], { portfolio, importId }: FilePlace): Buyer {
      const lines = its.map(read);
      const first = { portfolio, row: ANY_ROW, line: lines[0]?.line ?? 0 };
      const names = [...(known?.names ?? []), ...lines.map(({ name }) => name)];
      return {
        key,
        kinds: [...new Set([...(known?.kinds ?? []), ...lines.flatMap(({ kinds }) => kinds)])],
        names: names.filter(({ alike }, place) => names.findIndex((name) => name.alike === alike) === place),
        numbers: [
          ...new Set([...(known?.numbers ?? []), ...lines.flatMap(({ numbers }) => numbers.split(' '))]),
        ].filter(Boolean),
        reference: known?.reference || (lines.find(({ reference }) => reference !== '')?.reference ?? ''),
        city: known?.city || (lines.find(({ city }) => city !== '')?.city ?? ''),
        street: known?.street || (lines.find(({ street }) => street !== '')?.street ?? ''),
        first: known?.first ?? first,
        // The buyer's row is in this file, so no other file may correct it.
        stands: { ...first, importId },
      };
    },
  };
}

/** Stores texts one after another in pieces, up to a limit. */
function makeFileTexts() {
  const pieces: Buffer[] = [];
  // Starts as if a piece were full, so that the first text begins a new one.
  let used = PIECE_BYTES;
  return {
    /** Returns where the line's texts are stored; 0 if they are not. */
    add(line: BuyerLine): number {
      if (used + MOST_ENTRY_BYTES > PIECE_BYTES) {
        if (pieces.length === MOST_PIECES) return 0;
        pieces.push(Buffer.alloc(PIECE_BYTES));
        used = 1;
      }
      const piece = pieces[pieces.length - 1] as Buffer;
      const start = used;
      const length = piece.write(textOf(line), start + LENGTH_BYTES);
      piece.writeUInt16LE(length, start);
      used += length + LENGTH_BYTES;
      return (pieces.length - 1) * PIECE_BYTES + start;
    },
    /** Name, reference, city, street and numbers; an empty list if they were not stored. */
    read(place: number): string[] {
      if (place === 0) return [];
      const piece = pieces[Math.floor(place / PIECE_BYTES)] as Buffer;
      const start = place % PIECE_BYTES;
      const from = start + LENGTH_BYTES;
      return piece.toString('utf8', from, from + piece.readUInt16LE(start)).split('\n');
    },
  };
}

/** Entries in one piece of the store. A million lines need a few hundred pieces, and a small file takes little memory. */
const ENTRIES_A_PIECE = 4_096;

/** The factor by which the 48 bits of an `alike` are split: the lower 32 bits and the rest. */
const ALIKE_LOW = 2 ** 32;

/** The columns of a table of entries; `texts` points into the file's texts. */
type Piece = {
  key: Buffer;
  alikeLow: Uint32Array;
  alikeHigh: Uint16Array;
  line: Uint32Array;
  texts: Uint32Array;
  /** The kinds of the line's identifiers, a bit for each kind. */
  kinds: Uint8Array;
};

function emptyPiece(): Piece {
  return {
    key: Buffer.alloc(ENTRIES_A_PIECE * DIGEST_BYTES),
    alikeLow: new Uint32Array(ENTRIES_A_PIECE),
    alikeHigh: new Uint16Array(ENTRIES_A_PIECE),
    line: new Uint32Array(ENTRIES_A_PIECE),
    texts: new Uint32Array(ENTRIES_A_PIECE),
    kinds: new Uint8Array(ENTRIES_A_PIECE),
  };
}

/** Bytes of a piece of texts: a small file takes one. */
const PIECE_BYTES = 64 * 1024;

/** Most pieces of texts, 16 MB in all: they hold the texts of some 350,000 lines. */
const MOST_PIECES = 256;

const LENGTH_BYTES = 2;

/**
 * Most bytes of the texts of one entry: four texts of 80 UTF-16 units and two numbers of 20, of at most 3 bytes each, with separators and
 * length.
 */
const MOST_ENTRY_BYTES = 1_100;

/** Most characters that are kept of a text: more than a message shows, and enough to compare a city or street. */
const MOST_LETTERS = 80;

function textOf({ name, identifiers: [strongest], city, street, numbers }: BuyerLine): string {
  const reference = strongest?.kind === 'reference' ? strongest.written : '';
  return `${shortened(name)}\n${shortened(reference)}\n${shortened(city)}\n${shortened(street)}\n${numbers.join(' ')}`;
}

function shortened(word: string): string {
  const short = word.length > MOST_LETTERS ? word.slice(0, MOST_LETTERS) : word;
  return short.includes('\n') ? short.replaceAll('\n', ' ') : short;
}
