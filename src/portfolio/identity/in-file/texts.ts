import type { BuyerLine } from '../buyer.ts';

/** Names and addresses of a file's first lines, for messages. */
type FileTexts = {
  /** Returns where the line's texts are stored; 0 if they are not. */
  add(line: BuyerLine): number;
  /** Name, reference, city and street; an empty list if they were not stored. */
  read(place: number): string[];
};

/** Stores texts one after another in pieces, up to a limit. */
export function makeFileTexts(): FileTexts {
  const pieces: Buffer[] = [];
  // Starts as if a piece were full, so that the first text begins a new one.
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

/** A small file takes one piece. */
const PIECE_BYTES = 64 * 1024;

/** 16 MB, the texts of some 400,000 lines. */
const MOST_PIECES = 256;

const LENGTH_BYTES = 2;

/** Four texts of 80 UTF-16 units, 3 bytes each at most, with separators and length. */
const MOST_ENTRY_BYTES = 1_000;

/** As many as a message shows, and enough to compare a city or street. */
const MOST_LETTERS = 80;

function textOf({ name, identifiers: [strongest], city, street }: BuyerLine): string {
  const reference = strongest?.kind === 'reference' ? strongest.written : '';
  return `${shortened(name)}\n${shortened(reference)}\n${shortened(city)}\n${shortened(street)}`;
}

function shortened(word: string): string {
  const short = word.length > MOST_LETTERS ? word.slice(0, MOST_LETTERS) : word;
  return short.includes('\n') ? short.replaceAll('\n', ' ') : short;
}
