import { basename } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { ForgetAnswer, Forgetting, KnownBuyer } from '../../src/ledger/archive/forgetting.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { grantedOf, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { idsOfRow } from '../../src/ledger/events/event-rows.ts';
import { type RowWalks, WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { ArchiveState, Archives } from '../../src/ledger/schema/archives.ts';
import { type RowRequest, rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import { numbersOf } from '../../src/ledger/search/index-words.ts';
import { alikeOfName, type Buyer, numberWord } from '../../src/portfolio/identity/identity.ts';
import { fromBuyer, toBuyer } from '../rows/buyer-record.ts';
import { ROWS } from './archive-files.ts';
import { linesOf, namingFiles } from './named-digests.ts';

export type BuyersDeps = {
  forgetting: Pick<Forgetting, 'buyersOf' | 'requestsOf' | 'writeBuyers'>;
  archives: Pick<Archives, 'read'>;
  buyers: Pick<Buyers, 'records'>;
  signal: AbortSignal;
};

/** Names, numbers and addresses of a buyer in rows of other portfolios. `isWhole` is false if some of these rows are archived. */
type OthersWords = {
  isAny: boolean;
  isWhole: boolean;
} & { [of in 'names' | 'numbers' | 'cities' | 'streets']: Set<string> };

/**
 * Erases the data of buyers that came from this portfolio only. A buyer of no other portfolio keeps only digests that recognise the same
 * buyer in a new line. A buyer of other portfolios keeps what their rows contain, and keeps everything while such rows are archived.
 *
 * @returns how many buyers were erased, and how many are shared
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
      // If a record was changed meanwhile, the page is read and decided again.
      if (!(await forgetting.writeBuyers(left))) continue;
      const shared = left.filter(({ isShared }) => isShared).length;
      counts.shared += shared;
      counts.forgotten += left.length - shared;
      break;
    }
  }
  return counts;
}

type EventsDeps = {
  walkRows: RowWalks;
  /** Drops events that contain any of these ids; answers how many. */
  events: { forget(ids: readonly string[]): Promise<number> };
  signal: AbortSignal;
};

/**
 * Drops the service's events that name rows of a portfolio by a company's number. Must run before the rows are erased, since
 * the numbers are in the rows. Events that name ids of calls are dropped with the calls.
 *
 * @returns how many events were dropped
 * @throws LimitlineError `FILE` where an archive of the portfolio cannot be read
 */
export async function forgetEventsByNumber(
  name: string,
  archives: readonly string[],
  { walkRows, events, signal }: EventsDeps,
): Promise<number> {
  let dropped = 0;
  for (const state of WALKED_STATES) {
    for await (const page of walkRows({ portfolio: name, state, withCalls: false })) {
      signal.throwIfAborted();
      const numbers: string[] = [];
      for (const row of page) numbers.push(...numbersIn(row.field('request')));
      dropped += await events.forget(numbers);
    }
  }
  for (const archive of archives) {
    for await (const path of namingFiles(archive)) {
      if (basename(path) !== ROWS) continue;
      for await (const numbers of numbersOfFile(path)) {
        signal.throwIfAborted();
        dropped += await events.forget(numbers);
      }
    }
  }
  return dropped;
}

type Portfolio = { name: string; isForgotten: (portfolio: string) => Promise<boolean> };

/** The part of a buyer's record that stays when the portfolio is forgotten; undefined if the portfolio has nothing to do with the buyer. */
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
    // If a row of another portfolio spells the same name differently, that spelling is kept.
    return { alike, written: isKept ? written : (calls.find((name) => alikeOfName(name) === alike) ?? null) };
  });
  return {
    ...buyer,
    names,
    numbers: buyer.numbers.filter((number) => others.numbers.has(number)),
    // The reference is erased if this portfolio's line was the buyer's first: it may be known from that line alone.
    reference: others.isAny && buyer.first.portfolio !== portfolio ? buyer.reference : '',
    city: others.cities.has(buyer.city) ? buyer.city : '',
    street: others.streets.has(buyer.street) ? buyer.street : '',
  };
}

async function othersOf(buyer: string, { name, isForgotten }: Portfolio, { forgetting }: BuyersDeps) {
  const sets = {
    names: new Set<string>(),
    numbers: new Set<string>(),
    cities: new Set<string>(),
    streets: new Set<string>(),
  };
  const others: OthersWords = { isAny: false, isWhole: true, ...sets };
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

function addWords({ names, numbers, cities, streets }: OthersWords, { name, company, limit }: RowRequest): void {
  names.add(name);
  for (const number of numbersOf(limit)) numbers.add(numberWord(number));
  const { city, street } = (company?.address ?? {}) as { city?: unknown; street?: unknown };
  if (typeof city === 'string') cities.add(city);
  if (typeof street === 'string') streets.add(street);
}

/** Looks up each portfolio once: buyers are many, portfolios few. */
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

/** Reads rows as archive-files.ts writes them: a list of field names and values, with the request after `request`. */
async function* numbersOfFile(path: string): AsyncGenerator<string[]> {
  for await (const line of linesOf(path)) {
    const texts = JSON.parse(line) as string[];
    yield numbersIn(texts[texts.indexOf('request') + 1] ?? '');
  }
}

/** The numbers of a request by which events may name its row; none if it cannot be parsed. */
function numbersIn(request: string): string[] {
  try {
    return [...idsOfRow({ documentIds: [], request: JSON.parse(request) as RowRequest }).keys()];
  } catch {
    return [];
  }
}

/** The facts that a person sees before a portfolio is forgotten. `state` is its archive state, if it has one. */
export type BeforeForgetting = Required<Pick<ArchiveState, 'states' | 'requested' | 'granted'>> & {
  currency: string | undefined;
  state: ArchiveState | undefined;
};

/**
 * Checks whether a portfolio may be forgotten, and reads its counts and sums.
 *
 * @throws LimitlineError `USAGE` where it may not, with what to do first; `NOT_FOUND`
 */
export async function lookBeforeForgetting(
  name: string,
  given: { archives: Archives; portfolios: Portfolios; statusMeanings: Pick<MeaningStore, 'read'> },
): Promise<BeforeForgetting> {
  const { archives, portfolios, statusMeanings } = given;
  const state = await archives.read(name);
  if (state && state.is !== 'archived' && state.is !== 'forgetting' && state.is !== 'forgotten') {
    throw refusal(name, { is: state.is });
  }
  // Some or all rows may be in files only. Then the archive state has the portfolio's counts and sums.
  if (state) {
    const { states = {}, requested = '0', granted = '0', currency } = state;
    if (state.is === 'archived' || state.states) return { state, states, requested, granted, currency };
  }
  const [found, meanings] = await Promise.all([portfolios.read(name), statusMeanings.read()]);
  const { states, sums, startedMs, finishedMs, importing, interrupted } = found;
  if (startedMs === undefined) throw refusal(name, { is: 'none' });
  const isOpen = rowsIn(states, UNFINISHED_STATES) > 0;
  if (!state && (isOpen || importing || interrupted || finishedMs === undefined)) throw refusal(name, { is: 'open' });
  if (!state && states.held > 0) throw refusal(name, { is: 'held', rows: states.held });
  const { granted } = grantedOf(found, meanings);
  return { state, states, requested: sums.requested, granted, currency: soleCurrency(found) };
}

/** The error for a portfolio that may not be forgotten now, with what to do first. */
export function refusal(name: string, answer: Exclude<ForgetAnswer, { is: 'go' | 'forgotten' }>): LimitlineError {
  switch (answer.is) {
    case 'none':
      return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}": nothing was changed.`);
    case 'held': {
      const isOne = answer.rows === 1;
      const held = isOne ? 'One row' : `${answer.rows} rows`;
      const words = `${held} of ${name} ${isOne ? 'waits' : 'wait'} for a person to say what became of a call. Nothing was changed; forget it after that. ${heldRemedy(name)}.`;
      return new LimitlineError('USAGE', words);
    }
    case 'open': {
      const words = `${name} is not finished: wait until it is, or give up what is left with npx limitline cancel "${name}". Nothing was changed; forget it then.`;
      return new LimitlineError('USAGE', words);
    }
    case 'restoring': {
      const words = `${name} is being restored: npx limitline restore "${name}" completes this. Nothing was changed; forget the portfolio afterwards.`;
      return new LimitlineError('USAGE', words);
    }
    default: {
      const words = `${name} is being archived: npx limitline archive "${name}" completes this. Nothing was changed; forget the portfolio afterwards.`;
      return new LimitlineError('USAGE', words);
    }
  }
}
