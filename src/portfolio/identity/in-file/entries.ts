import type { Buyer } from '../buyer.ts';
import { ANY_ROW, type Brought } from '../buyer-book.ts';
import { DIGEST_BYTES, writeDigest } from '../digest.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../identity.ts';
import { makeFileTexts } from './texts.ts';

/** For each line of the file that added something about a buyer: an entry, numbered from 0. */
type FileEntries = {
  add(one: Pick<Brought, 'line' | 'key'>): number;
  /** The key of the line's buyer. */
  keyOf(entry: number): string;
  /** The strongest kind of identifier in the line. */
  strongestOf(entry: number): IdentifierKind;
  /** The known buyer, if there is one, with what these entries add. */
  merged(known: Buyer | undefined, key: string, its: readonly number[], place: FilePlace): Buyer;
};

export type FilePlace = { portfolio: string; importId: string };

/** Takes 27 bytes a line, and the texts of the first lines. Pieces of a fixed size are never copied. */
export function makeFileEntries(): FileEntries {
  const pieces: Piece[] = [];
  const texts = makeFileTexts();
  let count = 0;
  const pieceOf = (entry: number) => pieces[Math.floor(entry / ENTRIES_A_PIECE)] as Piece;

  const strongestOf = (entry: number) => {
    const mask = pieceOf(entry).kinds[entry % ENTRIES_A_PIECE] ?? 0;
    return IDENTIFIER_KINDS.find((_kind, bit) => mask & (1 << bit)) ?? 'name';
  };

  function read(entry: number) {
    const [piece, at] = [pieceOf(entry), entry % ENTRIES_A_PIECE];
    const [name = null, reference = '', city = '', street = ''] = texts.read(piece.texts[at] ?? 0);
    const mask = piece.kinds[at] ?? 0;
    const kinds = IDENTIFIER_KINDS.filter((_kind, bit) => mask & (1 << bit));
    const alike = (piece.alikeHigh[at] ?? 0) * ALIKE_LOW + (piece.alikeLow[at] ?? 0);
    return { line: piece.line[at] ?? 0, kinds, name: { written: name, alike }, reference, city, street };
  }

  return {
    strongestOf,

    add({ line, key }) {
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

    keyOf(entry) {
      const start = (entry % ENTRIES_A_PIECE) * DIGEST_BYTES;
      return pieceOf(entry).key.toString('base64url', start, start + DIGEST_BYTES);
    },

    merged(known, key, its, { portfolio, importId }) {
      const lines = its.map(read);
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
        // The buyer's row is in this file, so no other file may correct it.
        stands: { ...first, importId },
      };
    },
  };
}

/** A million lines need a few hundred pieces, and a small file takes little memory. */
const ENTRIES_A_PIECE = 4_096;

/** An `alike` has 48 bits. */
const ALIKE_LOW = 2 ** 32;

/** The columns of a table of entries; `texts` points into the file's texts. */
type Piece = {
  key: Buffer;
  alikeLow: Uint32Array;
  alikeHigh: Uint16Array;
  line: Uint32Array;
  texts: Uint32Array;
  /** A bit for each kind of identifier. */
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
