import type { Forgetting, KnownBuyer } from '../../src/ledger/archive/forgetting.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import type { Buyer } from '../../src/portfolio/identity/buyer.ts';
import { alikeOfName } from '../../src/portfolio/identity/identity.ts';
import { fromBuyer, toBuyer } from '../import/buyer-record.ts';

export type BuyersDeps = {
  forgetting: Pick<Forgetting, 'buyersOf' | 'requestsOf' | 'writeBuyers'>;
  archives: Pick<Archives, 'read'>;
  buyers: Pick<Buyers, 'records'>;
  signal: AbortSignal;
};

/** What rows of other portfolios call a buyer; `isWhole` is false where some of them are not in Redis, but in an archive. */
type OthersWords = { isAny: boolean; isWhole: boolean; names: Set<string>; cities: Set<string>; streets: Set<string> };

/**
 * Takes what a portfolio alone brought of its buyers out of what is known of them. One that no other portfolio asks for keeps no
 * word, but digests by which a line is told to be the same buyer; one that others ask for keeps what their rows have as well, and
 * all of it while rows of theirs are archived.
 *
 * @returns how many buyers nothing but digests is left of, and how many others need
 */
export async function forgetBuyers(name: string, deps: BuyersDeps): Promise<{ forgotten: number; shared: number }> {
  const { forgetting, signal } = deps;
  const isForgotten = makeForgottenLookup(name, deps);
  const counts = { forgotten: 0, shared: 0 };
  for await (const page of forgetting.buyersOf(name)) {
    for (let some: readonly KnownBuyer[] = page; some.length > 0; some = await deps.buyers.records(some)) {
      signal.throwIfAborted();
      const left = (await Promise.all(some.map((buyer) => leftOf(buyer, { name, isForgotten }, deps)))).filter(
        (each) => each !== undefined,
      );
      // What somebody changed meanwhile is read and decided anew.
      if (!(await forgetting.writeBuyers(left))) continue;
      const shared = left.filter(({ isShared }) => isShared).length;
      counts.shared += shared;
      counts.forgotten += left.length - shared;
      break;
    }
  }
  return counts;
}

type Portfolio = { name: string; isForgotten: (portfolio: string) => Promise<boolean> };

/** What is left of a buyer; nothing where the portfolio has nothing to do with it. */
async function leftOf({ key, record }: KnownBuyer, portfolio: Portfolio, deps: BuyersDeps) {
  const buyer = toBuyer(key, record);
  const { isOurs, others } = await othersOf(key, portfolio, deps);
  const isBrought = buyer.first.portfolio === portfolio.name || buyer.stands?.portfolio === portfolio.name;
  if (!isOurs && !isBrought) return undefined;
  const isShared = others.isAny;
  if (isShared && !others.isWhole) return { key, record, left: record, isShared };
  return { key, record, left: fromBuyer(withoutWords(buyer, portfolio.name, others)), isShared };
}

function withoutWords(buyer: Buyer, portfolio: string, others: OthersWords): Buyer {
  const calls = [...others.names];
  const names = buyer.names.map(({ alike, written }) => {
    const isKept = written !== null && others.names.has(written);
    // Theirs, where they only write it in another way.
    return { alike, written: isKept ? written : (calls.find((name) => alikeOfName(name) === alike) ?? null) };
  });
  return {
    ...buyer,
    names,
    // Which line gave the reference is known of the first alone.
    reference: others.isAny && buyer.first.portfolio !== portfolio ? buyer.reference : '',
    city: others.cities.has(buyer.city) ? buyer.city : '',
    street: others.streets.has(buyer.street) ? buyer.street : '',
  };
}

async function othersOf(buyer: string, { name, isForgotten }: Portfolio, { forgetting }: BuyersDeps) {
  const others: OthersWords = { isAny: false, isWhole: true, names: new Set(), cities: new Set(), streets: new Set() };
  let isOurs = false;
  for await (const page of forgetting.requestsOf(buyer)) {
    for (const { portfolio, request } of page) {
      if (portfolio === name) isOurs = true;
      if (portfolio === name || (await isForgotten(portfolio))) continue;
      others.isAny = true;
      if (request === undefined) others.isWhole = false;
      else addWords(others, JSON.parse(request) as RowRequest);
    }
  }
  return { isOurs, others };
}

function addWords({ names, cities, streets }: OthersWords, { name, company }: RowRequest): void {
  names.add(name);
  const { city, street } = (company?.address ?? {}) as { city?: unknown; street?: unknown };
  if (typeof city === 'string') cities.add(city);
  if (typeof street === 'string') streets.add(street);
}

/** Looks each portfolio up once: there are few, and buyers of many. */
function makeForgottenLookup(name: string, { archives }: BuyersDeps): Portfolio['isForgotten'] {
  const known = new Map<string, Promise<boolean>>();
  return (portfolio) => {
    const found =
      known.get(portfolio) ??
      archives.read(portfolio).then((state) => state?.is === 'forgetting' || state?.is === 'forgotten');
    known.set(portfolio, found);
    return portfolio === name ? Promise.resolve(true) : found;
  };
}
