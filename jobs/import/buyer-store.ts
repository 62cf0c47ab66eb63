import type { Buyers } from '../../src/ledger/buyers.ts';
import type { Persist } from '../../src/ledger/persist.ts';
import type { Buyer, Holder } from '../../src/portfolio/identity/buyer.ts';
import type { BuyerStore } from '../../src/portfolio/identity/buyer-book.ts';
import { alikeOfName, IDENTIFIER_KINDS, type IdentifierKind } from '../../src/portfolio/identity/identity.ts';

/** The account's buyers by which a file's lines are told: the ledger keeps texts, and this reads and writes them. */
export function makeBuyerStore({ buyers, persist }: { buyers: Buyers; persist: Persist }): BuyerStore {
  return {
    async read(questions) {
      const digests = [...new Set(questions.map(({ digest }) => digest))];
      const found = await persist('read buyers', () => buyers.read(digests));
      return {
        version: found.version,
        holders: new Map([...found.holders].map(([digest, text]) => [digest, toHolders(text)])),
        buyers: new Map([...found.buyers].map(([key, record]) => [key, toBuyer(key, record)])),
      };
    },
    async unsent(some) {
      const rows = some.map(({ key, row: { portfolio, row } }) => ({ key, row: { portfolio, key: row } }));
      return persist('read calls', () => buyers.unsent(rows));
    },
    async write({ version, holders, buyers: changed, mends }) {
      return persist('write buyers', () =>
        buyers.write({
          version,
          holders: new Map([...holders].map(([digest, its]) => [digest, its.map(fromHolder).join(' ')])),
          buyers: new Map([...changed].map(([key, buyer]) => [key, fromBuyer(buyer)])),
          mends: mends.map(({ buyer, row: { portfolio, row } }) => ({ buyer, row: { portfolio, key: row } })),
        }),
      );
    },
  };
}

/** Tells files apart by which buyers were brought. It is kept in every buyer's record, so it is no longer than that takes: 48 bits. */
export function fileNameOf(importId: string): string {
  return importId.slice(0, 12);
}

/** `<key>` or `<key>!`, one after another with a space between. */
function fromHolder({ key, alone }: Holder): string {
  return alone ? `${key}!` : key;
}

function toHolders(text: string): Holder[] {
  return text.split(' ').map((one) => ({ key: one.slice(0, KEY_LENGTH), alone: one.length > KEY_LENGTH }));
}

const KEY_LENGTH = 16;

/** What is kept of a buyer, in short: it is kept a million times. `k` are the kinds of its identifiers, by their places. */
type Record = {
  k: string;
  n: string[];
  r?: string;
  c?: string;
  s?: string;
  /** Portfolio, row and line that brought it first. */
  f: [string, string, number];
  /** Portfolio, row, line and import of the one row that it rests on; left out where it rests on several. */
  o?: [string, string, number, string];
};

function fromBuyer({ kinds, names, reference, city, street, first, stands }: Buyer): string {
  const record: Record = {
    k: kinds.map((kind) => IDENTIFIER_KINDS.indexOf(kind)).join(''),
    n: names.map(({ written }) => written ?? ''),
    ...(reference === '' ? {} : { r: reference }),
    ...(city === '' ? {} : { c: city }),
    ...(street === '' ? {} : { s: street }),
    f: [first.portfolio, first.row, first.line],
    ...(stands ? { o: [stands.portfolio, stands.row, stands.line, stands.importId] } : {}),
  };
  return JSON.stringify(record);
}

function toBuyer(key: string, record: string): Buyer {
  const { k, n, r = '', c = '', s = '', f, o } = JSON.parse(record) as Record;
  const kinds = [...k].map((place) => IDENTIFIER_KINDS[Number(place)] as IdentifierKind);
  return {
    key,
    kinds,
    reference: r,
    city: c,
    street: s,
    names: n.map((written) => ({ written, alike: alikeOfName(written) })),
    first: { portfolio: f[0], row: f[1], line: f[2] },
    stands: o ? { portfolio: o[0], row: o[1], line: o[2], importId: o[3] } : null,
  };
}
