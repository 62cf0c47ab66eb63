import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** ASVS 5.0, 6.2.1 asks for 8 and recommends 15; NIST SP 800-63B-4 asks for 15 where there is no second factor. */
const MIN_CHARACTERS = 12;

/** ASVS 5.0, 6.2.9 asks that 64 be allowed; without a bound one could be as large as a form may be. */
const MAX_CHARACTERS = 1_000;

/** What is left of a password without the words that anybody would try here first must be no guess of a few steps: letters and digits. */
const MIN_OWN_CHARACTERS = 8;

const PRODUCT = 'limitline';

/**
 * A password as it is hashed: NFC (RFC 8265, section 4.2), so that one letter is one however a keyboard composes it. Nothing else
 * is changed or cut (ASVS 5.0, 6.2.8): NFKC, which SP 800-63B has as well, would make one of two that a person sees as different.
 */
export function normalPassword(password: string): string {
  return password.normalize('NFC');
}

/** Whether it may be anybody's at all: one that is too long costs no more than another. */
export function isOfPossibleLength(password: string): boolean {
  return [...password].length <= MAX_CHARACTERS;
}

/**
 * What is wrong with a password that somebody chose, as a sentence; nothing where it will do. There is no rule about which kinds of
 * characters it has (ASVS 5.0, 6.2.5).
 *
 * @param words what anybody would try here first (ASVS 5.0, 6.2.11), beside the user's own name and the product's
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
    return 'That password is among the commonest that there are, which are tried first; choose another.';
  }
  const known = [name, PRODUCT, ...words.map((word) => word.toLowerCase())];
  const own = without(lower, known);
  if (own !== lower && (own.match(/[\p{L}\p{N}]/gu) ?? []).length < MIN_OWN_CHARACTERS) {
    const word = known.find((one) => one.length >= MIN_WORD && lower.includes(one)) ?? '';
    return `That password is little more than ${word === name ? "the user's own name" : `the word "${word}"`}; choose another.`;
  }
  return undefined;
}

/** A shorter one is in half of all texts. */
const MIN_WORD = 3;

/** The text less these words. */
function without(text: string, words: readonly string[]): string {
  return words.reduce((left, word) => (word.length < MIN_WORD ? left : left.split(word).join('')), text);
}

/** Bytes of a SHA-256 that are kept of each common password. */
const DIGEST_BYTES = 6;

/** Read when the first password is chosen: most processes never see one. */
let common: Set<string> | undefined;

function isCommon(lower: string): boolean {
  common ??= new Set(commonDigests());
  return common.has(createHash('sha256').update(lower).digest().toString('hex', 0, DIGEST_BYTES));
}

/**
 * The digests of the 3,000 commonest passwords of 12 characters or more, in lower case, of "10 million passwords" (Mark Burnett,
 * 2015, public domain; https://github.com/danielmiessler/SecLists has it). Many of the words are such as nobody wants to read.
 */
export function* commonDigests(): Generator<string> {
  const bytes = readFileSync(new URL('common-passwords.bin', import.meta.url));
  for (let at = 0; at < bytes.length; at += DIGEST_BYTES) yield bytes.toString('hex', at, at + DIGEST_BYTES);
}
