import { makePortfolioList } from '../../src/ledger/portfolios/portfolio-list.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { FAULT_KINDS, type Keys } from '../../src/ledger/schema/keys.ts';
import { hasWords, withRegisters } from '../../src/ledger/search/index-words.ts';
import type { BuyerLook, FoundBuyers, FoundLines } from '../../src/ledger/story/row-story.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { numberWord, referenceOf } from '../../src/portfolio/identity/identity.ts';
import { searchWords, toBuyer, wordsIn } from '../rows/buyer-record.ts';
import { type BuyerDeps, lookAtBuyer, lookAtRequests } from './buyer-story.ts';

/**
 * The first page of requests that is shown of each found buyer. `most`: how many requests are looked at to find the newest; nearly every
 * buyer has fewer.
 */
const SHOWN = { from: 0, count: 3, most: 100 };

/**
 * How many entries of the index of buyers' words are read at a time, and at most for one page. A common word has many entries of buyers who
 * lack the other words.
 */
const ENTRIES = 100;
const MOST_ENTRIES = 1_000;

/**
 * Finds buyers in all portfolios: first by a whole id or reference, then by the beginnings of a number or of words of the name. A page may
 * have fewer buyers than asked for, or none, even if others follow.
 */
export async function findBuyers(
  text: string,
  { after, count }: { after: string; count: number },
  deps: BuyerDeps,
): Promise<FoundBuyers> {
  const named = await findNamed(text, deps);
  const words = await findByWords(text, { after, count }, deps);
  // Buyers that the text names completely are on the first page, and are left out of later ones.
  const ofNames = new Set(named.keys);
  const keys = [...(after === '' ? ofNames : []), ...words.keys.filter((key) => !ofNames.has(key))];
  const looks = await Promise.all(keys.map((key) => lookAtBuyer(key, SHOWN, deps)));
  return {
    buyers: looks.filter((look): look is BuyerLook => look !== undefined),
    gone: after === '' ? named.gone : [],
    next: words.next,
  };
}

/** Buyers that a text names completely: by their reference, or the id of a company or limit, or the reference of a request. */
async function findNamed(text: string, deps: BuyerDeps) {
  const { request, buyer } = referenceOf(text);
  const [keys, ofLimit] = await Promise.all([
    deps.buyers.named({ digest: buyer, companyId: text }),
    deps.buyers.requestOfLimit(text),
  ]);
  const rows = await deps.buyers.rowsOf([request, ...(ofLimit ? [ofLimit] : [])]);
  const requests = await lookAtRequests(
    rows.map((row) => ({ row, amount: '' })),
    deps,
  );
  const gone = requests.filter(({ result }) => result === undefined);
  return { keys: [...keys, ...requests.flatMap(({ result }) => result?.request.buyer ?? [])], gone };
}

async function findByWords(text: string, { after, count }: { after: string; count: number }, { buyers }: BuyerDeps) {
  const number = numberWord(text);
  const [word = ''] = searchWords(text).toSorted((one, other) => other.length - one.length);
  // The whole number is searched before words, because a word such as the HRB of `HRB 77` is the beginning of most numbers.
  const walks = [...new Set([...(number.length > 1 ? withRegisters(number) : []), word])].filter(
    (begins) => begins !== '',
  );
  const former = walks.findIndex((begins) => after.startsWith(`${begins} ${begins}`));
  let at = Math.max(0, former);
  let place = former < 0 ? '' : after.slice(after.indexOf(' ') + 1);
  const keys = new Set<string>();
  for (let read = 0; read < MOST_ENTRIES && at < walks.length; read += ENTRIES) {
    const [earlier, begins = ''] = [walks.slice(0, at), walks[at]];
    const entries = await buyers.withWord(begins, { after: place, most: ENTRIES });
    const records = new Map(
      (await buyers.records(entries.map((entry) => ({ key: buyerIn(entry) })))).map((one) => [one.key, one.record]),
    );
    for (const entry of entries) {
      if (keys.size >= count) return { keys: [...keys], next: `${begins} ${place}` };
      place = entry;
      const record = records.get(buyerIn(entry));
      if (record === undefined || !isFirst(entry, begins, record)) continue;
      // An earlier walk has already found this buyer if one of its words begins as that walk's words do.
      const isNew = !wordsIn(record).some((other) => earlier.some((first) => other.startsWith(first)));
      if (isNew && (begins !== word || isMeant(text, record))) keys.add(buyerIn(entry));
    }
    if (entries.length < ENTRIES) [at, place] = [at + 1, walks[at + 1] ?? ''];
  }
  return { keys: [...keys], next: at < walks.length ? `${walks[at]} ${place}` : undefined };
}

/** Whether this is the buyer's first word with this beginning. Other words of the same beginning would find the buyer again. */
function isFirst(entry: string, begins: string, record: string): boolean {
  const word = entry.slice(0, entry.indexOf(' '));
  return !wordsIn(record).some((other) => other.startsWith(begins) && other < word);
}

/** Whether a number of the buyer begins with the text, or each word of the text begins a word of one of the buyer's names. */
function isMeant(text: string, record: string): boolean {
  const { names, numbers } = toBuyer('', record);
  const number = numberWord(text);
  return (
    withRegisters(number).some((begins) => numbers.some((one) => one.startsWith(begins))) ||
    names.some(({ written }) => hasWords(written ?? '', text))
  );
}

const buyerIn = (entry: string): string => entry.slice(entry.lastIndexOf(' ') + 1);

/** How many portfolios are searched, the newest, and how many lines of each are shown. */
const NEWEST = 40;
const SHOWN_LINES = 5;

/** The most lines without a row in a portfolio that is searched: with more, all portfolios together would take too long. */
const MOST_READ = 500;

/** Finds lines that led to no row, and so to no buyer, by words of their name, in the newest portfolios. */
export async function findLines(
  text: string,
  { ledger, keys, portfolios }: { ledger: RedisConnection; keys: Keys; portfolios: Pick<Portfolios, 'faultyPage'> },
): Promise<FoundLines> {
  const { names } = await makePortfolioList({ connection: ledger, keys }).page({ count: NEWEST });
  const pages = await Promise.all(
    names.map(async (portfolio) => {
      const page = await portfolios.faultyPage(portfolio, {
        kinds: FAULT_KINDS,
        text,
        count: SHOWN_LINES,
        most: MOST_READ,
      });
      return { portfolio, ...page };
    }),
  );
  return {
    lines: pages.flatMap(({ portfolio, found }) => found.map((line) => ({ ...line, portfolio }))),
    unread: pages.flatMap(({ portfolio, unlisted }) => (unlisted > 0 ? [portfolio] : [])),
  };
}
