import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The shortest password: ASVS 5.0, 6.2.1 asks for 8 and recommends 15; NIST SP 800-63B-4 asks for 15 without a second factor. */
const MIN_CHARACTERS = 12;

/** The longest password: ASVS 5.0, 6.2.9 asks to allow 64; without a limit one could be as large as a form. */
const MAX_CHARACTERS = 1_000;

/** Letters and digits that must be left of a password without the obvious words, so that it takes more than a few guesses. */
const MIN_OWN_CHARACTERS = 8;

const PRODUCT = 'limitline';

/**
 * A password in the form that is hashed: NFC (RFC 8265, section 4.2), so that a letter is the same however a keyboard composes it. Nothing
 * else is changed or cut (ASVS 5.0, 6.2.8): NFKC, which SP 800-63B also allows, would merge passwords that look different.
 */
export function normalPassword(password: string): string {
  return password.normalize('NFC');
}

/** Whether a password is short enough to be anybody's. A longer one is not hashed. */
export function isOfPossibleLength(password: string): boolean {
  return [...password].length <= MAX_CHARACTERS;
}

/**
 * What is wrong with a chosen password, as a sentence; undefined if it is acceptable. There is no rule about kinds of characters (ASVS 5.0,
 * 6.2.5).
 *
 * @param words obvious words here (ASVS 5.0, 6.2.11), besides the user's own name and the product's
 */
export function passwordFault(password: string, name: string, words: readonly string[] = []): string | undefined {
  const text = normalPassword(password);
  const { length } = [...text];
  if (length < MIN_CHARACTERS) {
    return `The password has ${length === 1 ? '1 character' : `${length} characters`}; it needs ${MIN_CHARACTERS} or more. Several words are easy to remember.`;
  }
  if (length > MAX_CHARACTERS) return `The password has more than ${MAX_CHARACTERS} characters; choose a shorter one.`;
  const lower = text.toLowerCase();
  if (isCommon(lower)) {
    return 'That password is one of the most common ones, which attackers try first; choose another.';
  }
  const known = [name, PRODUCT, ...words.map((word) => word.toLowerCase())];
  const own = without(lower, known);
  if (own !== lower && (own.match(/[\p{L}\p{N}]/gu) ?? []).length < MIN_OWN_CHARACTERS) {
    const word = known.find((one) => one.length >= MIN_WORD && lower.includes(one)) ?? '';
    return `That password is little more than ${word === name ? "the user's own name" : `the word "${word}"`}; choose another.`;
  }
  return undefined;
}

/** The least letters of an obvious word that counts: shorter ones occur in too many passwords by chance. */
const MIN_WORD = 3;

function without(text: string, words: readonly string[]): string {
  return words.reduce((left, word) => (word.length < MIN_WORD ? left : left.split(word).join('')), text);
}

/** Bytes kept of each common password's SHA-256. */
const DIGEST_BYTES = 6;

/** The digests of common passwords. They are loaded when the first password is chosen, which never happens in most processes. */
let common: Set<string> | undefined;

function isCommon(lower: string): boolean {
  common ??= new Set(commonDigests());
  return common.has(createHash('sha256').update(lower).digest().toString('hex', 0, DIGEST_BYTES));
}

/**
 * Digests of the 3,000 commonest passwords of 12 characters or more, in lower case, from "10 million passwords" (Mark Burnett, 2015, public
 * domain; https://github.com/danielmiessler/SecLists has it). Digests, since many of the words are offensive.
 */
export function* commonDigests(): Generator<string> {
  const bytes = readFileSync(new URL('common-passwords.bin', import.meta.url));
  for (let at = 0; at < bytes.length; at += DIGEST_BYTES) yield bytes.toString('hex', at, at + DIGEST_BYTES);
}

/** Letters that are not confused when read aloud or copied by hand. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';

/** A generated password has six groups of five letters. 30 of 23 possible letters are 135 bits; ASVS 5.0, 11.5.1 asks for 128. */
const GROUPS = 6;
const GROUP_LETTERS = 5;

/** A password for a user's first sign-in, such as `tbkqe-hmzra-…`: not guessable, and easy to read aloud. */
export function makeInitialPassword(): string {
  const group = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
