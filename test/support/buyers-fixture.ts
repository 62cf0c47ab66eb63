import { expect } from 'vitest';
import { type BuyerBook, type BuyerStore, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import type { Buyer, Decision, Holder } from '../../src/portfolio/identity/identity.ts';
import { makeFileBook, makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { buyerLineOf } from '../../src/portfolio/lines/make-row.ts';
import type { Values } from '../../src/portfolio/lines/read-cells.ts';

/** A line in short form. */
export type Given = {
  ref?: string;
  info?: string;
  /** The source of `info`. */
  source?: string;
  reg?: string;
  name?: string;
  country?: string;
  city?: string;
  street?: string;
  limit?: string;
  company?: string;
  same?: 'yes' | 'no';
};

function valuesOf({ ref, info, reg, name = 'Muster GmbH', country = 'DE', limit = '1000', ...given }: Given) {
  const values: Values = { name, country_code: country, requested_limit: limit };
  if (ref) values.buyer_reference = ref;
  if (info)
    Object.assign(values, { business_information_source: given.source ?? 'agency', business_information_id: info });
  if (reg) values.company_registration_number = reg;
  if (given.city) values.city = given.city;
  if (given.street) values.street = given.street;
  if (given.company) values.company_id = given.company;
  if (given.same) values.same_buyer = given.same;
  return values;
}

/** A store in plain maps that behaves like the ledger; `sent` has the buyers with something sent. */
export function makeMapStore(sent: Set<string> = new Set()): BuyerStore & { buyers: Map<string, Buyer> } {
  const holders = new Map<string, Holder[]>();
  const buyers = new Map<string, Buyer>();
  let version = 0;
  return {
    buyers,
    read: async () => structuredClone({ version: String(version), holders, buyers }),
    unsent: async (some) => new Set(some.map(({ key }) => key).filter((key) => !sent.has(key))),
    async write(changes) {
      if (changes.version !== String(version)) return false;
      for (const [digest, its] of changes.holders) holders.set(digest, its);
      for (const [key, buyer] of changes.buyers) buyers.set(key, buyer);
      version += 1;
      return true;
    },
  };
}

/** Gives the lines of one file to a new book, beginning with line 2, in batches of so many. */
export async function tellFile(
  store: BuyerStore,
  lines: readonly Given[],
  { portfolio = 'q4', importId = 'a', batch = 250 }: { portfolio?: string; importId?: string; batch?: number } = {},
): Promise<Decision[]> {
  return tellLines(makeBuyerBook(store, { portfolio, importId }), lines, batch);
}

/** Gives lines to this book. */
export async function tellLines(book: BuyerBook, lines: readonly Given[], batch: number): Promise<Decision[]> {
  const asked = lines.flatMap((given, place) => buyerLineOf(valuesOf(given), { line: place + 2, isSound: true }) ?? []);
  const decisions: Decision[] = [];
  for (let from = 0; from < asked.length; from += batch) {
    decisions.push(...(await book.tell(asked.slice(from, from + batch))));
  }
  return decisions;
}

/** `new K1`, `known K1 by registration`, `unclear: …`, with numbers for keys in the order in which they appear. */
export function inWords(decisions: readonly Decision[], names: Map<string, string> = new Map()): string[] {
  const nameOf = (key: string) => {
    if (!names.has(key)) names.set(key, `K${names.size + 1}`);
    return names.get(key);
  };
  return decisions.map((decision) => {
    if (decision.is === 'unclear') return 'unclear';
    if (decision.is === 'new') return `new ${nameOf(decision.key)}`;
    return `${decision.mended ? 'mended' : 'known'} ${nameOf(decision.buyer.key)} by ${decision.by.kind}`;
  });
}

/** What a decision says to people: its problem, with the column, or its warnings. */
export function decisionWords(decision: Decision | undefined): string {
  if (decision?.is === 'unclear') return `${decision.problem.at}: ${decision.problem.message}`;
  return decision?.warnings.map(({ message }) => message).join(' ') ?? '';
}

/**
 * The decisions on a file and the words for its last line, equal with the ledger's store and with what a check holds
 * in memory.
 */
export async function toldEverywhere(lines: Given[]): Promise<{ words: string[]; said: string }> {
  const decisions = await tellFile(makeMapStore(), lines);
  const found = { words: inWords(decisions), said: decisionWords(decisions.at(-1)) };
  const place = { portfolio: 'q4', importId: 'a' };
  const others = [
    await tellFile(makeFileBuyers(place), lines, { batch: 1 }),
    await tellLines(makeFileBook(place), lines, 1),
  ];
  for (const other of others) expect({ words: inWords(other), said: decisionWords(other.at(-1)) }).toEqual(found);
  return found;
}
