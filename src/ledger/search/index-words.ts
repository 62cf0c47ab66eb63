import { hash } from 'node:crypto';
import { normal, plainWordsOf, smallLetters } from '../../likeness.ts';
import type { RowRequest } from '../schema/row.ts';

/** The most letters of a name that the index has. Longer searches are compared with the rows themselves. */
export const INDEXED_LETTERS = 24;

/** A row's search words, as scripts take them (index-entries.lua): digests of its numbers and of a company id in its line, and its name. */
export function indexWords({ name, companyId, limit }: RowRequest): string {
  const digests = numbersOf(limit).map((number) => idDigest(signsOf(number)));
  if (companyId) digests.push(idDigest(companyId));
  const told = digests.length > 1 ? [...new Set(digests)].join(' ') : (digests[0] ?? '');
  return `${told}\n${searchedName(name).slice(0, INDEXED_LETTERS)}`;
}

/** The digests that a text can have as an id or a number. */
export function digestsOfText(text: string): string[] {
  return [...new Set([text.trim(), signsOf(text)].filter(Boolean).map(idDigest))];
}

/** The numbers by which others know a buyer: registration number and business information id. */
export function numbersOf(limit: RowRequest['limit']): string[] {
  const { company_registration_number: registration, business_information_id: information } = limit;
  return [registration, information]
    .filter((number) => typeof number === 'string')
    .filter((number) => signsOf(number) !== '');
}

/** Whether a text names a number: `HRB-1`, `hrb1` and `1` name `HRB 1`. */
export function namesNumber(text: string, number: string): boolean {
  return withRegisters(signsOf(text)).includes(signsOf(number));
}

/**
 * A text, and, if it begins with a digit, the numbers that people shorten to it: they leave out the letters of German, Austrian and Swiss
 * registers.
 */
export function withRegisters(text: string): string[] {
  return /^\d/.test(text) ? [text, ...REGISTERS.map((letters) => letters + text)] : [text];
}

const REGISTERS = ['hrb', 'hra', 'gnr', 'pr', 'vr', 'fn', 'che'];

/**
 * A name in search form: words of small letters and digits without accents, with one spelling for `ä`, `ae` and `a`, and for `ß` and
 * `ss`. The search form of a name's beginning is the beginning of its search form.
 */
export function searchedName(name: string): string {
  return spelt(name, 'a', 'o', 'u').replace(/(?<=[aou])e|(?<=a)a/g, '');
}

/** Whether a name begins with a text, in any case and any spelling of umlauts: `Mü`, `Mue` and `Mu` begin `Müller`. */
export function beginsWith(name: string, text: string): boolean {
  const sought = searchedName(text);
  if (sought === '' || !searchedName(name).startsWith(sought)) return false;
  // `mue` begins `Müller` and `Mueller`, but not `Muster`, which has no umlaut in any spelling.
  return [spelt(name, 'a', 'o', 'u'), spelt(name, 'ae', 'oe', 'ue')].some((one) =>
    [spelt(text, 'a', 'o', 'u'), spelt(text, 'ae', 'oe', 'ue')].some((other) => one.startsWith(other)),
  );
}

/** Whether each word of a text begins a word of the name, in any order: `bau mue` is found in `Müller & Söhne Bau GmbH`. */
export function hasWords(name: string, text: string): boolean {
  const [words, sought] = [wordsOf(name), wordsOf(text)];
  return sought.length > 0 && sought.every((one) => words.some((word) => beginsWith(word, one)));
}

function wordsOf(text: string): string[] {
  return normal(text)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(Boolean);
}

/** How many characters of a name are read for words, and how many of the first words are indexed. Nobody remembers a name by a later word. */
const NAME_LETTERS = 200;
const MOST_WORDS = 8;

/**
 * Makes the reader of a name's words in search form, by which its buyer is found: without the legal form at its end and without single
 * letters, each of so many letters at most.
 */
export function makeSearchWords(withoutLegalForm: (words: string) => string, letters: number) {
  return (name: string): string[] =>
    withoutLegalForm(searchedName(name.slice(0, NAME_LETTERS)))
      .split(' ')
      .filter((word) => Buffer.byteLength(word) > 1)
      .slice(0, MOST_WORDS)
      .map((word) => word.slice(0, letters).toWellFormed());
}

/** Spells letters that Unicode does not decompose as people write them, with the given spellings of umlauts. */
function spelt(text: string, a: string, o: string, u: string): string {
  if (isPlain(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  const small = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äæöøœüåßłđ]/g, (letter) => {
      if (letter === 'ß') return 'ss';
      if (letter === 'ł') return 'l';
      if (letter === 'đ') return 'd';
      if (letter === 'å') return a === 'ae' ? 'aa' : a;
      return 'äæ'.includes(letter) ? a : letter === 'ü' ? u : o;
    });
  return plainWordsOf(smallLetters(small));
}

function signsOf(text: string): string {
  if (isPlain(text)) return text.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Whether a text is ASCII, as most texts are: then none of Unicode's tables are needed. */
const isPlain = (text: string): boolean => PLAIN.test(text);

const PLAIN = /^[\0-\x7f]*$/;

/**
 * The digest of an id. 48 bits are enough, since matches are compared with the row. Only ASCII letters are made small, as in Lua
 * (index-entries.lua).
 */
export function idDigest(text: string): string {
  const small = isPlain(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return hash('sha1', small, 'hex').slice(0, 12);
}
