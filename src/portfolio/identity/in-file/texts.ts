import type { BuyerLine } from '../buyer.ts';

/** Names and places of the first lines of a file, for people. */
type FileTexts = {
  /** Where the line's texts stand; 0 is the place of those that are not kept. */
  add(line: BuyerLine): number;
  /** Name, reference, city and street; nothing at all of texts that are not kept. */
  read(place: number): string[];
};

/** Texts one behind another in pieces, as many as there may be. */
export function makeFileTexts(): FileTexts {
  const pieces: Buffer[] = [];
  // As if a full piece had come before: the first text begins the first piece.
  let used = PIECE_BYTES;
  return {
    add(line) {
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
    read(place) {
      if (place === 0) return [];
      const piece = pieces[Math.floor(place / PIECE_BYTES)] as Buffer;
      const start = place % PIECE_BYTES;
      const from = start + LENGTH_BYTES;
      return piece.toString('utf8', from, from + piece.readUInt16LE(start)).split('\n');
    },
  };
}

/** A small file takes one. */
const PIECE_BYTES = 64 * 1024;

/** 16 MB, the texts of some 400,000 lines. */
const MOST_PIECES = 256;

const LENGTH_BYTES = 2;

/** Four texts of 80 letters, each of 3 bytes at the most in a text of JavaScript's, and what stands between them. */
const MOST_ENTRY_BYTES = 1_000;

/** As many as a sentence shows, and enough to tell a city or street by. */
const MOST_LETTERS = 80;

function textOf({ name, identifiers: [strongest], city, street }: BuyerLine): string {
  const reference = strongest?.kind === 'reference' ? strongest.written : '';
  return `${shortened(name)}\n${shortened(reference)}\n${shortened(city)}\n${shortened(street)}`;
}

function shortened(word: string): string {
  const short = word.length > MOST_LETTERS ? word.slice(0, MOST_LETTERS) : word;
  return short.includes('\n') ? short.replaceAll('\n', ' ') : short;
}
