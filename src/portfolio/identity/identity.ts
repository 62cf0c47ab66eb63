import { normal } from '../../likeness.ts';
import { withoutTextMark } from '../../table/formulas.ts';
import { digestOf } from './digest.ts';
import { formsWithZeros } from './leading-zeros.ts';
import { barerName, beginningOf, looseName } from './loose-name.ts';

/** A line's cells that identify its buyer; empty cells are left out. */
export type BuyerIdentity = {
  buyerReference?: string | undefined;
  countryCode?: string | undefined;
  registrationNumber?: string | undefined;
  informationSource?: string | undefined;
  informationId?: string | undefined;
  name: string;
};

/** A line's cells that identify its request. */
type RequestIdentity = {
  requestReference?: string | undefined;
  buyer: string;
  /** Canonical decimal text, so that 1000.50 and 1000.5 are one request. */
  requestedLimit: string;
};

/** The kinds of identifier of a buyer, strongest first. */
export const IDENTIFIER_KINDS = ['reference', 'information', 'registration', 'name'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** An identifier of a buyer. The digest has 16 characters, see {@link buyerKey}; `written` is for display. */
export type Identifier = { kind: IdentifierKind; digest: string; written: string };

/**
 * A line's identifiers, strongest first: reference; information source and id; country and registration number; name and country, which
 * always exists. Of a registration number only letters and digits count: `HRB 1`, `HRB-1` and `hrb1` are one.
 */
export function identifiersOf(identity: BuyerIdentity): Identifier[] {
  const { buyerReference, countryCode = '', registrationNumber, informationSource, informationId, name } = identity;
  const found: Identifier[] = [];
  // The parts have no line breaks once they are squeezed. So different parts never give the same joined text.
  const add = (kind: IdentifierKind, first: string, second: string, written: string) =>
    found.push({ kind, digest: digestOf(`${kind}\n${first}\n${second}`), written });
  const country = squeeze(countryCode);
  if (buyerReference) add('reference', squeeze(buyerReference), '', buyerReference);
  if (informationSource && informationId) {
    const written = `${informationSource} ${informationId}`;
    add('information', squeeze(informationSource), squeeze(informationId), written);
  }
  if (countryCode && registrationNumber) {
    const signs = squeeze(registrationNumber);
    // A number without letters and digits counts as written.
    add('registration', country, lettersOf(signs) || signs, registrationNumber);
  }
  add('name', country, squeeze(name), name);
  return found;
}

/**
 * The key of the buyer that this line would make: the digest of its strongest identifier. 16 characters of base64url,
 * 96 bits: among a billion buyers, a collision has a chance below one in 10^10.
 */
export function buyerKey(identity: BuyerIdentity): string {
  return identifiersOf(identity)[0]?.digest ?? '';
}

/** The digests of the strongest identifier with fewer or more zeros before it; none if it is not a number. */
export function digestsWithZeros(identity: BuyerIdentity): string[] {
  const field = NUMBER_OF[identifiersOf(identity)[0]?.kind ?? 'name'];
  if (!field) return [];
  const forms = formsWithZeros(identity[field] ?? '');
  return forms.map((form) => buyerKey({ ...identity, [field]: form }));
}

const NUMBER_OF = {
  reference: 'buyerReference',
  information: 'informationId',
  registration: 'registrationNumber',
  name: undefined,
} as const satisfies Record<IdentifierKind, keyof BuyerIdentity | undefined>;

/** The request's key, 16 characters: from its reference, else from buyer key and limit. */
export function requestKey({ requestReference, buyer, requestedLimit }: RequestIdentity): string {
  // Only a reference is squeezed: buyer keys and amounts are canonical, and a key in lower case would be another key.
  return requestReference
    ? digestOf(`request\n${squeeze(requestReference)}\n`)
    : digestOf(`limit\n${buyer}\n${requestedLimit}`);
}

/** The request key of a text taken as a request_reference, and the buyer digest of the text taken as a buyer_reference. */
export function referenceOf(text: string): { request: string; buyer: string } {
  const [reference] = identifiersOf({ buyerReference: text, name: '' });
  return {
    request: requestKey({ requestReference: text, buyer: '', requestedLimit: '' }),
    buyer: reference?.digest ?? '',
  };
}

/**
 * Names with the same {@link looseName} have the same `alike`, a number of 48 bits for comparing names. `alikeHere` is
 * a digest of loose name and country, for lookups. `alikeUnplaced` finds the buyers of that name of which, or of whose line, the country is
 * missing: without a country those of any, otherwise those without one. `alikeBare` is an `alikeHere` of the {@link barerName}, and
 * `alikeBegun` one of the {@link beginningOf} the name.
 */
export function likenessOf({ name, countryCode = '' }: Pick<BuyerIdentity, 'name' | 'countryCode'>) {
  const loose = looseName(name);
  const alike = alikeOf(loose);
  const alikeHere = digestOf(`alike\n${squeeze(countryCode)}\n${loose}`);
  const alikeUnplaced = () => (countryCode ? digestOf(`alike\n\n${loose}`) : anywhereOf(alike));
  const bare = barerName(name);
  const alikeBare = bare === undefined ? undefined : digestOf(`alike\n${squeeze(countryCode)}\n${bare}`);
  const begun = beginningOf(name);
  const alikeBegun = begun === undefined ? undefined : digestOf(`begun\n${squeeze(countryCode)}\n${begun}`);
  return { alike, alikeHere, alikeBare, alikeBegun, alikeUnplaced, isPlaced: countryCode !== '' };
}

/**
 * A digest of the loose name without the country. Approval limits count such buyers together. It decides no
 * buyer. Its first three characters choose its Redis hash and take few values: many small hashes would take more memory.
 */
export function anywhereOf(alike: number): string {
  const text = alike.toString(36).padStart(13, '0');
  return `${text.slice(-2)}0${text}`;
}

/** A digest of the id of a company, by which lines and the service name buyers. */
export function companyDigest(companyId: string): string {
  return digestOf(`company\n${companyId}`);
}

/** The number by which a name is compared with others, see {@link likenessOf}. */
export function alikeOfName(name: string): number {
  return alikeOf(looseName(name));
}

/**
 * The number by which loose names are compared: two sums of 24 bits, similar to FNV. It is ten times faster than a digest, and needed for
 * every line and name.
 */
function alikeOf(loose: string): number {
  let [one, other] = [0x811c9d, 0x9dc581];
  for (let at = 0; at < loose.length; at += 1) {
    const code = loose.charCodeAt(at);
    one = Math.imul(one ^ code, 0x1000193);
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13);
  }
  return (one >>> 8) * 2 ** 24 + (other >>> 8);
}

/**
 * The form in which identifiers are compared: lower case, without white space, in Unicode NFC. NFC comes last, because
 * lower-casing can decompose letters.
 */
export function squeeze(text: string): string {
  const lower = text.toLowerCase();
  const squeezed = SPACE.test(lower) ? lower.replace(/\s+/g, '') : lower;
  return WHOLE.test(squeezed) ? squeezed : normal(squeezed);
}

/**
 * A name as it counts where its digest differs: like {@link squeeze}, with ss for ß and one sign for hyphens, and without the mark of a text,
 * with which earlier versions read it.
 */
export function spellingOf(name: string): string {
  return squeeze(withoutTextMark(name))
    .replaceAll('ß', 'ss')
    .replace(/[\u2010\u2011]/g, '-');
}

/** The letters and digits of a squeezed text. Most squeezed registration numbers have nothing else. */
function lettersOf(squeezed: string): string {
  return PLAIN_LETTERS.test(squeezed) ? squeezed : squeezed.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A number as searches compare it, cut to 20 characters: `HRB 1`, `HRB-1` and `hrb1` are one. '' without letters and digits. */
export function numberWord(text: string): string {
  return lettersOf(squeeze(text)).slice(0, WORD_LETTERS);
}

/** Letters of a word by which buyers are found. No usual number is longer, and Redis keeps longer entries in more room. */
export const WORD_LETTERS = 20;

const PLAIN_LETTERS = /^[a-z0-9]+$/;
const SPACE = /\s/;
/** A text that only has letters of Western languages, which NFC leaves as they are. */
const WHOLE = /^[\0-\xff]*$/;

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
  /** The `alikeHere` of the name without words that people leave out; undefined for a name without them. */
  alikeBare: string | undefined;
  /** A digest of country and beginning of a name that is so long that systems cut it off; undefined for shorter ones. */
  alikeBegun: string | undefined;
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
