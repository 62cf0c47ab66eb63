import { lettersAsNumber, makeDigestTable } from '../identity/digest.ts';
import type { Row } from './row.ts';

/** The line that was the first to make a request, and whether it has the same buyer and amount as a later line. */
type FirstRequest = { line: number; isOfBuyer: boolean; hasAmount: boolean };

/**
 * The requests of a file, each with its first line, buyer and amount. A request takes some 38 bytes. A million requests are told apart by 68
 * bits of their keys, more than buyers are: a false match would lose a request. Buyers are compared by 30 bits, since only lines that have
 * one request_reference are.
 */
export function makeFirstRequests() {
  const numbers = makeDigestTable({ bits: 68 });
  const pieces: Piece[] = [];
  let count = 0;

  return {
    /** Answers the first line that made the row's request; undefined if this line is it. */
    meet(line: number, { key, buyer, limit }: Row): FirstRequest | undefined {
      const [of, amount] = [lettersAsNumber(buyer, 0, 5), Number(limit.requested_limit)];
      const number = numbers.addOnce(key, count) ?? count;
      const at = number % REQUESTS_A_PIECE;
      if (number === count && at === 0) pieces.push(emptyPiece());
      const piece = pieces[Math.floor(number / REQUESTS_A_PIECE)] as Piece;
      if (number < count) {
        return { line: piece.line[at] ?? 0, isOfBuyer: piece.buyer[at] === of, hasAmount: piece.amount[at] === amount };
      }
      [piece.line[at], piece.buyer[at], piece.amount[at]] = [line, of, amount];
      count += 1;
      return undefined;
    },
  };
}

/** A million requests need a few hundred pieces, and a small file takes little memory. */
const REQUESTS_A_PIECE = 4_096;

/** Amounts are exact: they have no more digits than a JSON number carries. */
type Piece = { line: Uint32Array; buyer: Uint32Array; amount: Float64Array };

function emptyPiece(): Piece {
  return {
    line: new Uint32Array(REQUESTS_A_PIECE),
    buyer: new Uint32Array(REQUESTS_A_PIECE),
    amount: new Float64Array(REQUESTS_A_PIECE),
  };
}
