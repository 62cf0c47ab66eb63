import type { Identifier, IdentifierKind } from './identity.ts';

/** A row by which a line asks for a limit, or asked for one. */
export type RowName = { portfolio: string; row: string };

/** A line as it is told which buyer it means. */
export type BuyerLine = {
  line: number;
  /** The strongest first; never none. */
  identifiers: readonly Identifier[];
  name: string;
  /** See `likenessOf`. */
  alike: number;
  alikeHere: string;
  city: string;
  street: string;
  /** What a person says of the line: that it is the buyer which its identifiers point to, or that it is not. */
  same: 'yes' | 'no' | undefined;
  /** The key of the row that the line leads to with this buyer. */
  rowOf: (buyer: string) => string;
  /** The row that the line says it mends, `<portfolio>/<row key>`; '' for none. */
  mends: string;
  /** The key of the buyer that it is, where a results file of ours says so: then nothing is left to decide. */
  known?: string | undefined;
  /** Whether it may bring a buyer in: a line with any problem is only told whom it would mean. */
  isSound: boolean;
};

/** A name of a buyer. `written` is null where it is not kept: then names are compared all the same, and the line is said. */
type BuyerName = { written: string | null; alike: number };

/** A buyer as it is known. */
export type Buyer = {
  /** The digest of the strongest identifier of the line that first brought it. */
  key: string;
  /** The kinds of identifier that it has. */
  kinds: IdentifierKind[];
  /** Its name first, then others that a person said are its as well. */
  names: BuyerName[];
  /** Its reference as written, for people. */
  reference: string;
  city: string;
  street: string;
  /** The row and line that first brought it. */
  first: RowName & { line: number };
  /** The only row that it was asked for in so far, and the line and import that had the row last; null for several. */
  stands: (RowName & { line: number; importId: string }) | null;
};

/** Whom an identifier points to, in the order in which they came to have it. */
export type Holder = {
  key: string;
  /** Whether a line whose strongest identifier this is was told to be this buyer. */
  alone: boolean;
};

/** More buyers that share an identifier are not remembered: it tells nobody apart by then. */
export const MOST_HOLDERS = 8;

/** What is known of buyers, as far as the lines at hand may ask. */
export type KnownBuyers = {
  /** Of one identifier, or of names alike. */
  holders(digest: string): readonly Holder[];
  buyer(key: string): Buyer | undefined;
  /** Whether nothing was ever sent for the buyer, nor for the row that it stands on. */
  isUnsent(buyer: Buyer): boolean;
  /** Where lines come from that are told. */
  portfolio: string;
  importId: string;
};

/** What is wrong with a line, or doubtful; `at` tells the column that is meant. */
export type BuyerFinding = { at: IdentifierKind | 'city' | 'street'; value: string; message: string };

/** Which buyer a line means. */
export type Decision =
  /** One that is known, told by this identifier. `mended` where it takes the line's name instead of its own. */
  | { is: 'known'; buyer: Buyer; by: Identifier; mended: boolean; warnings: BuyerFinding[] }
  /** One that the line brings. */
  | { is: 'new'; key: string; by: Identifier; warnings: BuyerFinding[] }
  /** It cannot be told, and a person must say. */
  | { is: 'unclear'; problem: BuyerFinding };
