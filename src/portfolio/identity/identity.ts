import { normal } from '../../likeness.ts';
import { digestOf } from './digest.ts';
import { looseName } from './loose-name.ts';

/** What a line gives to tell its buyer by; empty cells are left out. */
export type BuyerIdentity = {
  buyerReference?: string | undefined;
  countryCode?: string | undefined;
  registrationNumber?: string | undefined;
  informationSource?: string | undefined;
  informationId?: string | undefined;
  name: string;
};

/** What a line gives to tell its request by. */
type RequestIdentity = {
  requestReference?: string | undefined;
  /** The buyer key. */
  buyer: string;
  /** Canonical decimal text, so that 1000.50 and 1000.5 are one request. */
  requestedLimit: string;
};

/** By what a buyer is told, the strongest first. */
export const IDENTIFIER_KINDS = ['reference', 'information', 'registration', 'name'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** One thing that tells a buyer. The digest is 16 characters, see {@link buyerKey}; `written` is for people. */
export type Identifier = { kind: IdentifierKind; digest: string; written: string };

/**
 * All that the line gives to tell its buyer by, the strongest first: its reference; information source and id; country
 * and registration number, of which letters and digits count, so that `HRB 1`, `HRB-1` and `hrb1` are one; name and
 * country. The last is always there.
 */
export function identifiersOf(identity: BuyerIdentity): Identifier[] {
  const { buyerReference, countryCode = '', registrationNumber, informationSource, informationId, name } = identity;
  const found: Identifier[] = [];
  // Squeezed texts hold no line break, so the parts cannot run into each other, nor one kind into another.
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
    // A number of signs alone tells as much as it is.
    add('registration', country, lettersOf(signs) || signs, registrationNumber);
  }
  add('name', country, squeeze(name), name);
  return found;
}

/**
 * The key of a buyer that this line brings: the digest of the strongest identifier that it gives. 16 characters of
 * base64url, 96 bits: among a billion buyers, two with one key are less likely than one in 10^10.
 */
export function buyerKey(identity: BuyerIdentity): string {
  return identifiersOf(identity)[0]?.digest ?? '';
}

/** The request's key, in the same form: by its reference; else by buyer key and requested limit. */
export function requestKey({ requestReference, buyer, requestedLimit }: RequestIdentity): string {
  // Buyer keys and amounts are canonical already, and case tells keys apart.
  return requestReference
    ? digestOf(`request\n${squeeze(requestReference)}\n`)
    : digestOf(`limit\n${buyer}\n${requestedLimit}`);
}

/** What a text is as a reference: the key of the request of that reference, and the digest of the buyer reference. */
export function referenceOf(text: string): { request: string; buyer: string } {
  const [reference] = identifiersOf({ buyerReference: text, name: '' });
  return {
    request: requestKey({ requestReference: text, buyer: '', requestedLimit: '' }),
    buyer: reference?.digest ?? '',
  };
}

/**
 * Names of one {@link looseName} have the same `alike`, 48 bits: names are compared by it one with another,
 * and never looked up. Of one country they have the same `alikeHere`, a digest as all that is looked up.
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

/** Two sums of 24 bits (FNV's way): a tenth of what a digest costs, and it is asked of each line and each name of a buyer. */
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
 * The form in which identifiers are compared: without case, without white space, and with one spelling for letters that
 * Unicode can spell in two ways (NFC, composed last, since lower-casing can take letters apart).
 */
export function squeeze(text: string): string {
  const lower = text.toLowerCase();
  const squeezed = SPACE.test(lower) ? lower.replace(/\s+/g, '') : lower;
  return WHOLE.test(squeezed) ? squeezed : normal(squeezed);
}

/** Most numbers have nothing else, once they are squeezed. */
function lettersOf(squeezed: string): string {
  return PLAIN_LETTERS.test(squeezed) ? squeezed : squeezed.replace(/[^\p{L}\p{N}]+/gu, '');
}

const PLAIN_LETTERS = /^[a-z0-9]+$/;
const SPACE = /\s/;
/** Letters of Western languages: none of them can be put together from others here. */
const WHOLE = /^[\0-\xff]*$/;
