import { hash } from 'node:crypto';

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
export type RequestIdentity = {
  requestReference?: string | undefined;
  /** The buyer key. */
  buyer: string;
  /** Canonical decimal text, so that 1000.50 and 1000.5 are one request. */
  requestedLimit: string;
};

/**
 * The buyer's key: by its reference; else country code and registration number; else business information source and
 * id; else name and country code. 16 characters of base64url, 96 bits: among a billion buyers, two with one key are
 * less likely than one in 10^10.
 */
export function buyerKey(identity: BuyerIdentity): string {
  const { buyerReference, countryCode = '', registrationNumber, informationSource, informationId, name } = identity;
  if (buyerReference) return digest('reference', buyerReference, '');
  if (countryCode && registrationNumber) return digest('registration', countryCode, registrationNumber);
  if (informationSource && informationId) return digest('information', informationSource, informationId);
  return digest('name', countryCode, name);
}

/** The request's key, in the same form: by its reference; else buyer key and requested limit. */
export function requestKey({ requestReference, buyer, requestedLimit }: RequestIdentity): string {
  // Buyer keys and amounts are canonical already, and case tells keys apart.
  return requestReference ? digest('request', requestReference, '') : shorten(`limit\n${buyer}\n${requestedLimit}`);
}

/**
 * The form in which texts are compared: without case, without surrounding or repeated space, and with one spelling
 * for letters that Unicode can spell in two ways (NFC, composed last, since lower-casing can take letters apart).
 */
export function fold(text: string): string {
  const lower = text.trim().toLowerCase();
  const spaced = SPACE_TO_FOLD.test(lower) ? lower.replace(/\s+/g, ' ') : lower;
  return ASCII.test(spaced) ? spaced : spaced.normalize('NFC');
}

const SPACE_TO_FOLD = /\s\s|[^\S ]/;
const ASCII = /^[\0-\x7f]*$/;

/** Folded texts hold no line break, so the parts cannot run into each other, nor one kind into another. */
function digest(kind: string, first: string, second: string): string {
  return shorten(`${kind}\n${fold(first)}\n${fold(second)}`);
}

function shorten(canonical: string): string {
  return hash('sha256', canonical, 'base64url').slice(0, 16);
}
