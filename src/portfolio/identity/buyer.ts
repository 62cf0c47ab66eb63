import type { Identifier, IdentifierKind } from './identity.ts';

export type RowName = { portfolio: string; row: string };

/** A line's identity, for finding its buyer. */
export type BuyerLine = {
  line: number;
  /** The line's identifiers, the strongest first; never empty. */
  identifiers: readonly Identifier[];
  name: string;
  /** The form of the name for comparison, as a number that names with the same loose form share; see `likenessOf`. */
  alike: number;
  alikeHere: string;
  alikeUnplaced: () => string;
  /** Whether the line gives a country. */
  isPlaced: boolean;
  /** The line's company_id, with its digest. */
  company?: { id: string; digest: string } | undefined;
  /** Digests of its strongest identifier with fewer or more zeros before it, see `digestsWithZeros`. */
  withZeros: () => string[];
  /** The line's registration number and business information id, see `numberWord`. */
  numbers: readonly string[];
  city: string;
  street: string;
  /** A person's answer: the line means the buyer of its identifiers, or another one. */
  same: 'yes' | 'no' | undefined;
  /** The row key of the line if it means this buyer. */
  rowOf: (buyer: string) => string;
  /** The row that the line corrects according to its errors file, `<portfolio>/<row key>`; '' for none. */
  mends: string;
  /** The buyer's key if a results file records it: then nothing is left to decide. */
  known?: string | undefined;
  /** Whether the line may add a buyer. A line with problems is only matched with known ones. */
  isSound: boolean;
};

/** A buyer's name. `written` is null where the text is not stored; `alike` still compares it. */
type BuyerName = { written: string | null; alike: number };

export type Buyer = {
  /** Digest of the strongest identifier of the first line about this buyer. */
  key: string;
  kinds: IdentifierKind[];
  /** The main name first, then others that a person confirmed. */
  names: BuyerName[];
  /** The numbers by which registers and other systems know the buyer, see `numberWord`. */
  numbers: readonly string[];
  /** The buyer_reference as written, for display. */
  reference: string;
  city: string;
  street: string;
  first: RowName & { line: number };
  /** The only row that asks for a limit of the buyer, with that row's latest line and import; null if there are several rows. */
  stands: (RowName & { line: number; importId: string }) | null;
};

/** A buyer that has an identifier. Lists of holders are in order of first use. */
export type Holder = {
  key: string;
  /** Whether this was the strongest identifier of a line that means this buyer. */
  alone: boolean;
};

/** Further buyers with the same identifier are not stored, because it no longer tells buyers apart. */
export const MOST_HOLDERS = 8;

/** The known buyers that matter for the lines at hand. */
export type KnownBuyers = {
  /** The buyers that have the identifier, or the name in its form for comparison, of which this is the digest. */
  holders(digest: string): readonly Holder[];
  buyer(key: string): Buyer | undefined;
  /** Whether no call for the buyer's company or its row's limit was made, is under way or in doubt. */
  isUnsent(buyer: Buyer): boolean;
  /** The origin of the lines to be decided. */
  portfolio: string;
  importId: string;
};

/** A problem or warning about a line; `at` names the column. */
export type BuyerFinding = { at: IdentifierKind | 'city' | 'street' | 'company'; value: string; message: string };

/** The decision which buyer a line means. */
export type Decision = {
  /** Whether a person's `same` was not needed: the line means this buyer without it. */
  isSaidInVain?: boolean;
} /** A known buyer, matched by this identifier. `mended`: the buyer takes the line's name instead of its own. */ & (
  | { is: 'known'; buyer: Buyer; by: Identifier; mended: boolean; warnings: BuyerFinding[] }
  | { is: 'new'; key: string; by: Identifier; warnings: BuyerFinding[] }
  /** Undecidable without a person. */
  | { is: 'unclear'; problem: BuyerFinding }
);
