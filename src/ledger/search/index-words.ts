import { hash } from 'node:crypto';
import { plainWordsOf, smallLetters } from '../../likeness.ts';
import type { RowRequest } from '../schema/row.ts';

/** Longer beginnings of names are compared with the rows themselves. */
export const INDEXED_LETTERS = 24;

/**
 * What a row is searched by, as the scripts take it (index-entries.lua): the digests of its numbers and of the company's id that its line gave,
 * and its name as it is searched for.
 */
export function indexWords({ name, companyId, limit }: RowRequest): string {
  const digests = numbersOf(limit).map((number) => idDigest(signsOf(number)));
  if (companyId) digests.push(idDigest(companyId));
  const told = digests.length > 1 ? [...new Set(digests)].join(' ') : (digests[0] ?? '');
  return `${told}\n${searchedName(name).slice(0, INDEXED_LETTERS)}`;
}

/** What a text may mean as an id or a number of a row, as digests. */
export function digestsOfText(text: string): string[] {
  return [...new Set([text.trim(), signsOf(text)].filter(Boolean).map(idDigest))];
}

/** By these numbers a buyer is known to others. */
export function numbersOf(limit: RowRequest['limit']): string[] {
  const { company_registration_number: registration, business_information_id: information } = limit;
  return [registration, information]
    .filter((number) => typeof number === 'string')
    .filter((number) => signsOf(number) !== '');
}

/** Whether two texts are one number: `HRB 1`, `HRB-1` and `hrb1` are. */
export function isSameNumber(one: string, other: string): boolean {
  return signsOf(one) === signsOf(other);
}

/**
 * A name as it is searched for: small letters and digits in words, without accents, and with one spelling for `ä`, `ae` and `a`,
 * and for `ß` and `ss`. What a name begins with is what this of it begins with.
 */
export function searchedName(name: string): string {
  return spelt(name, 'a', 'o', 'u').replace(/(?<=[aou])e|(?<=a)a/g, '');
}

/** Whether a name begins so, in any case and with umlauts in any of their spellings: `Mü`, `Mue` and `Mu` begin `Müller`. */
export function beginsWith(name: string, text: string): boolean {
  const sought = searchedName(text);
  if (sought === '' || !searchedName(name).startsWith(sought)) return false;
  // `mue` begins `Müller` and `Mueller`, but not `Muster`, of whose spelling nothing tells that an umlaut is meant.
  return [spelt(name, 'a', 'o', 'u'), spelt(name, 'ae', 'oe', 'ue')].some((one) =>
    [spelt(text, 'a', 'o', 'u'), spelt(text, 'ae', 'oe', 'ue')].some((other) => one.startsWith(other)),
  );
}

/** Letters that Unicode does not take apart as people write them. */
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

/** Most texts are, and Unicode's tables say nothing of them. */
function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[\0-\x7f]*$/;

/** 48 bits: what is found is compared with the row. Lua takes small letters of ASCII alone (index-entries.lua). */
export function idDigest(text: string): string {
  const small = isPlain(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return hash('sha1', small, 'hex').slice(0, 12);
}
