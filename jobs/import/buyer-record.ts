import type { Buyer } from '../../src/portfolio/identity/buyer.ts';
import { alikeOfName, IDENTIFIER_KINDS, type IdentifierKind } from '../../src/portfolio/identity/identity.ts';

/** What is kept of a buyer, in short: it is kept a million times. `k` are the kinds of its identifiers, by their places. */
type Record = {
  k: string;
  n: string[];
  /** Of names that were forgotten, `""` in `n`: what they are compared by, as texts. Left out where all are known. */
  a?: string[] | undefined;
  r?: string | undefined;
  c?: string | undefined;
  s?: string | undefined;
  /** Portfolio, row and line that brought it first. */
  f: [string, string, number];
  /** Portfolio, row, line and import of the one row that it rests on; left out where it rests on several. */
  o?: [string, string, number, string] | undefined;
};

export function fromBuyer({ kinds, names, reference, city, street, first, stands }: Buyer): string {
  const isForgotten = names.some(({ written }) => written === null);
  const record: Record = {
    k: kinds.map((kind) => IDENTIFIER_KINDS.indexOf(kind)).join(''),
    n: names.map(({ written }) => written ?? ''),
    // JSON leaves out what is undefined.
    a: isForgotten ? names.map(({ written, alike }) => (written === null ? String(alike) : '')) : undefined,
    r: reference || undefined,
    c: city || undefined,
    s: street || undefined,
    f: [first.portfolio, first.row, first.line],
    o: stands ? [stands.portfolio, stands.row, stands.line, stands.importId] : undefined,
  };
  return JSON.stringify(record);
}

export function toBuyer(key: string, record: string): Buyer {
  const { k, n, a = [], r = '', c = '', s = '', f, o } = JSON.parse(record) as Record;
  const kinds = [...k].map((place) => IDENTIFIER_KINDS[Number(place)] as IdentifierKind);
  return {
    key,
    kinds,
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
