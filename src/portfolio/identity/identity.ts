import { normal } from '../../likeness.ts';
import { digestOf } from './digest.ts';
import { looseName } from './loose-name.ts';

/** What a line says to identify its buyer; empty cells are left out. */
export type BuyerIdentity = {
  buyerReference?: string | undefined;
  countryCode?: string | undefined;
  registrationNumber?: string | undefined;
  informationSource?: string | undefined;
  informationId?: string | undefined;
  name: string;
};

/** What a line says to identify its request. */
type RequestIdentity = {
  requestReference?: string | undefined;
  /** The buyer key. */
  buyer: string;
  /** Canonical decimal text, so that 1000.50 and 1000.5 are one request. */
  requestedLimit: string;
};

/** The identifiers of a buyer, strongest first. */
export const IDENTIFIER_KINDS = ['reference', 'information', 'registration', 'name'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** One identifier of a buyer. The digest has 16 characters, see {@link buyerKey}; `written` is for people. */
export type Identifier = { kind: IdentifierKind; digest: string; written: string };

/**
 * All identifiers that the line gives for its buyer, strongest first: its reference; information source and id; country and registration
 * number; name and country. Of a registration number only letters and digits count: `HRB 1`, `HRB-1` and `hrb1` are the same. The last
 * identifier always exists.
 */
export function identifiersOf(identity: BuyerIdentity): Identifier[] {
  const { buyerReference, countryCode = '', registrationNumber, informationSource, informationId, name } = identity;
  const found: Identifier[] = [];
  // Squeezed texts have no line breaks, so neither the parts nor the kinds can be confused.
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
    // If a number has neither letters nor digits, its characters count as written.
    add('registration', country, lettersOf(signs) || signs, registrationNumber);
  }
  add('name', country, squeeze(name), name);
  return found;
}

/**
 * The key of the line's buyer: the digest of the strongest identifier, 96 bits as 16 characters of base64url. Among a billion buyers, the
 * probability of two equal keys is below 1 in 10^10.
 */
export function buyerKey(identity: BuyerIdentity): string {
  return identifiersOf(identity)[0]?.digest ?? '';
}

/** The request's key, in the same form. It is made of the request reference, if the line has one; else of buyer key and requested limit. */
export function requestKey({ requestReference, buyer, requestedLimit }: RequestIdentity): string {
  // Buyer keys and amounts are canonical already. Buyer keys are case-sensitive, so the text is not squeezed.
  return requestReference
    ? digestOf(`request\n${squeeze(requestReference)}\n`)
    : digestOf(`limit\n${buyer}\n${requestedLimit}`);
}

/** The keys that a text has if it is a reference: as a request reference, and as a buyer reference. */
export function referenceOf(text: string): { request: string; buyer: string } {
  const [reference] = identifiersOf({ buyerReference: text, name: '' });
  return {
    request: requestKey({ requestReference: text, buyer: '', requestedLimit: '' }),
    buyer: reference?.digest ?? '',
  };
}

/**
 * Names with the same {@link looseName} have the same `alike`, a number of 48 bits; it is compared between names, never looked up. Such
 * names of one country also have the same `alikeHere`, a digest for lookups.
 */
export function likenessOf({ name, countryCode = '' }: Pick<BuyerIdentity, 'name' | 'countryCode'>) {
  const loose = looseName(name);
  const alikeHere = digestOf(`alike\n${squeeze(countryCode)}\n${loose}`);
  return { alike: alikeOf(loose), alikeHere };
}

/** The `alike` of a name by itself. */
export function alikeOfName(name: string): number {
  return alikeOf(looseName(name));
}

/** Two hashes of 24 bits, like FNV. A digest would take ten times as long, and this is computed for each line and each name of a buyer. */
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
 * The form in which identifiers are compared: lower case, no white space, and one spelling for letters that Unicode can write in two ways
 * (NFC comes last, since lower-casing can separate letters from their accents).
 */
export function squeeze(text: string): string {
  const lower = text.toLowerCase();
  const squeezed = SPACE.test(lower) ? lower.replace(/\s+/g, '') : lower;
  return WHOLE.test(squeezed) ? squeezed : normal(squeezed);
}

/** Most numbers have only letters and digits once they are squeezed. */
function lettersOf(squeezed: string): string {
  return PLAIN_LETTERS.test(squeezed) ? squeezed : squeezed.replace(/[^\p{L}\p{N}]+/gu, '');
}

const PLAIN_LETTERS = /^[a-z0-9]+$/;
const SPACE = /\s/;
/** Latin-1: characters that cannot combine with each other, so NFC changes nothing. */
const WHOLE = /^[\0-\xff]*$/;
