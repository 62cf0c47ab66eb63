import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { Buyer, Holder } from '../../src/portfolio/identity/buyer.ts';
import type { BuyerStore } from '../../src/portfolio/identity/buyer-book.ts';
import { alikeOfName, IDENTIFIER_KINDS, type IdentifierKind } from '../../src/portfolio/identity/identity.ts';

/** Adapts the ledger's buyers, stored as text, to the buyer book that identifies the buyers of a file's lines. */
export function makeBuyerStore({
  buyers,
  retryUntilAnswered,
}: {
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
}): BuyerStore {
  return {
    async read(questions) {
      const digests = [...new Set(questions.map(({ digest }) => digest))];
      const found = await retryUntilAnswered('read buyers', () => buyers.read(digests));
      return {
        version: found.version,
        holders: new Map([...found.holders].map(([digest, text]) => [digest, toHolders(text)])),
        buyers: new Map([...found.buyers].map(([key, record]) => [key, toBuyer(key, record)])),
      };
    },
    async unsent(some) {
      const rows = some.map(({ key, row: { portfolio, row } }) => ({ key, row: { portfolio, key: row } }));
      return retryUntilAnswered('read calls', () => buyers.unsent(rows));
    },
    async write({ version, holders, buyers: changed, mends, likes }) {
      const change = {
        version,
        holders: new Map<string, string>(),
        buyers: new Map<string, string>(),
        likes,
        mends: mends.map(({ buyer, row: { portfolio, row } }) => ({ buyer, row: { portfolio, key: row } })),
      };
      for (const [digest, its] of holders) change.holders.set(digest, fromHolders(its));
      for (const [key, buyer] of changed) change.buyers.set(key, fromBuyer(buyer));
      return retryUntilAnswered('write buyers', () => buyers.write(change));
    },
  };
}

/** A short name of an imported file: only 48 bits of its digest, because each buyer's record contains it. */
export function fileNameOf(importId: string): string {
  return importId.slice(0, 12);
}

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

/** Format: for each holder `<key>`, or `<key>!` if it is `alone`; separated by spaces. */
function fromHolders(holders: readonly Holder[]): string {
  const [first] = holders;
  return first && holders.length === 1 ? fromHolder(first) : holders.map(fromHolder).join(' ');
}

function fromHolder({ key, alone }: Holder): string {
  return alone ? `${key}!` : key;
}

function toHolders(text: string): Holder[] {
  return text.split(' ').map((one) => ({ key: one.slice(0, KEY_LENGTH), alone: one.length > KEY_LENGTH }));
}

const KEY_LENGTH = 16;
