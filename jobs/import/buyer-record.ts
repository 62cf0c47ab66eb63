import type { Buyer } from '../../src/portfolio/identity/buyer.ts';
import { alikeOfName, IDENTIFIER_KINDS, type IdentifierKind } from '../../src/portfolio/identity/identity.ts';

/** A stored buyer. Field names are short because a ledger has up to a million. `k`: indexes into IDENTIFIER_KINDS. */
type Record = {
  k: string;
  n: string[];
  /** For forgotten names (`""` in `n`), the numbers by which they are compared. Left out if no name is forgotten. */
  a?: string[] | undefined;
  r?: string | undefined;
  c?: string | undefined;
  s?: string | undefined;
  /** Portfolio, row and line that first brought the buyer. */
  f: [string, string, number];
  /** Portfolio, row, line and import of the only row of this buyer; left out if it has several. */
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
