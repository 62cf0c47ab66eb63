import { makeSearchWords } from '../../src/ledger/search/index-words.ts';
import type { Buyer, IdentifierKind } from '../../src/portfolio/identity/identity.ts';
import { alikeOfName, IDENTIFIER_KINDS, WORD_LETTERS } from '../../src/portfolio/identity/identity.ts';
import { withoutLegalForm } from '../../src/portfolio/identity/loose-name.ts';

/**
 * A stored buyer. Field names are short because a ledger has up to a million buyers. `k`: indexes into IDENTIFIER_KINDS; `n`: names; `r`,
 * `c`, `s`: reference, city, street.
 */
type Record = {
  k: string;
  n: string[];
  /** For forgotten names (`""` in `n`), the numbers by which they are compared. Left out if no name is forgotten. */
  a?: string[] | undefined;
  r?: string | undefined;
  c?: string | undefined;
  s?: string | undefined;
  /** Words by which the buyer is found: those of its names, and its numbers (lua/buyer-words.lua). Older versions wrote none. */
  w?: string;
  /** Portfolio, row and line that first brought the buyer. */
  f: [string, string, number];
  /** Portfolio, row, line and import of the only row of this buyer; left out if it has several. */
  o?: [string, string, number, string] | undefined;
};

export function fromBuyer({ kinds, names, numbers, reference, city, street, first, stands }: Buyer): string {
  const isForgotten = names.some(({ written }) => written === null);
  const record: Record = {
    k: kinds.map((kind) => IDENTIFIER_KINDS.indexOf(kind)).join(''),
    n: names.map(({ written }) => written ?? ''),
    // JSON leaves out what is undefined.
    a: isForgotten ? names.map(({ written, alike }) => (written === null ? String(alike) : '')) : undefined,
    r: reference || undefined,
    c: city || undefined,
    s: street || undefined,
    w: [...new Set([...wordsOfNames(names.map(({ written }) => written ?? '')), ...numbers])].join(' '),
    f: [first.portfolio, first.row, first.line],
    o: stands ? [stands.portfolio, stands.row, stands.line, stands.importId] : undefined,
  };
  return JSON.stringify(record);
}

export function toBuyer(key: string, record: string): Buyer {
  const { k, n, a = [], r = '', c = '', s = '', w = '', f, o } = JSON.parse(record) as Record;
  const words = wordsOfNames(n);
  const kinds = [...k].map((place) => IDENTIFIER_KINDS[Number(place)] as IdentifierKind);
  return {
    key,
    kinds,
    numbers: w.split(' ').filter((word) => word !== '' && !words.has(word)),
    reference: r,
    city: c,
    street: s,
    names: n.map((written, place) => {
      const alike = a[place] ?? '';
      return alike === '' ? { written, alike: alikeOfName(written) } : { written: null, alike: Number(alike) };
    }),
    first: { portfolio: f[0], row: f[1], line: f[2] },
    stands: o ? { portfolio: o[0], row: o[1], line: o[2], importId: o[3] } : null,
  };
}

/** The words of a record by which its buyer is found. */
export function wordsIn(record: string): string[] {
  return ((JSON.parse(record) as Record).w ?? '').split(' ');
}

/** The words of a name in search form, without the legal form at its end and without single letters. */
export const searchWords = makeSearchWords(withoutLegalForm, WORD_LETTERS);

const wordsOfNames = (names: readonly string[]): Set<string> => new Set(names.flatMap(searchWords));
