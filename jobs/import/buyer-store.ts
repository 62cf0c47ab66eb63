import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { BuyerStore } from '../../src/portfolio/identity/buyer-book.ts';
import { type Holder, MOST_HOLDERS } from '../../src/portfolio/identity/identity.ts';
import { fromBuyer, toBuyer } from '../rows/buyer-record.ts';

/** Adapts the ledger's buyers, stored as text, to the buyer book that identifies the buyers of a file's lines. */
export function makeBuyerStore(given: { buyers: Buyers; retryUntilAnswered: RetryUntilAnswered }): BuyerStore {
  const { buyers, retryUntilAnswered } = given;
  return {
    async read(questions) {
      const digests = [...new Set(questions.map(({ digest }) => digest))];
      const found = await retryUntilAnswered('read buyers', () => buyers.read(digests));
      const holders = new Map([...found.holders].map(([digest, text]) => [digest, toHolders(text)]));
      const known = new Map([...found.buyers].map(([key, record]) => [key, toBuyer(key, record)]));
      const ofCompanies = new Map(
        questions.flatMap(({ digest, companyId }) => (companyId ? [[digest, companyId] as const] : [])),
      );
      const companies = [...ofCompanies].map(async ([digest, companyId]) => {
        const named = await retryUntilAnswered('read buyers', () => buyers.named({ digest, companyId }));
        const its = named.slice(0, MOST_HOLDERS).map((key) => ({ key, alone: false }));
        if (its.length > 0) holders.set(digest, its);
        for (const { key, record } of await retryUntilAnswered('read buyers', () => buyers.records(its))) {
          if (!known.has(key)) known.set(key, toBuyer(key, record));
        }
      });
      await Promise.all(companies);
      return { version: found.version, holders, buyers: known };
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

/** The holders as text: for each `<key>`, or `<key>!` if it is `alone`, separated by spaces. */
function fromHolders(holders: readonly Holder[]): string {
  const [first] = holders;
  return first && holders.length === 1 ? fromHolder(first) : holders.map(fromHolder).join(' ');
}

const fromHolder = ({ key, alone }: Holder): string => (alone ? `${key}!` : key);

function toHolders(text: string): Holder[] {
  return text.split(' ').map((one) => ({ key: one.slice(0, KEY_LENGTH), alone: one.length > KEY_LENGTH }));
}

const KEY_LENGTH = 16;
