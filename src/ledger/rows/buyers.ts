import { KINDS } from '../../call-kind.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { answersOf, scanKeys } from '../schema/redis-reads.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';

/** Buyers, read at one moment. `holders`: by an identifier's digest, the keys of the buyers that have it. `buyers`: records by buyer's key. */
type BuyersRead = { version: string; holders: Map<string, string>; buyers: Map<string, string> };

/** A change to the records of buyers. `mends`: buyers that get another name, each with its only row. */
type BuyersChange = {
  version: string;
  holders: ReadonlyMap<string, string>;
  buyers: ReadonlyMap<string, string>;
  mends: readonly { buyer: string; row: RowId }[];
  /** Pairs of buyers that may be one company: their two keys in one text, without separator. */
  likes: ReadonlySet<string>;
};

export type Buyers = ReturnType<typeof makeBuyers>;

/**
 * The buyers of the account, and their identifiers. Other code decides which buyer a line means. A write names the version that the
 * decision read, and fails if the buyers changed since.
 *
 * An identifier takes some 40 bytes of Redis, and a buyer with three of them some 500.
 */
export function makeBuyers({ connection, keys }: LedgerPlace) {
  const script = (name: string) => ledgerScript(connection, name);
  const read = script('buyers#read-buyers');
  const write = script('buyers#write-buyers');
  const find = script('find#find-buyers');
  const compare = script('buyers#compare-words');
  const findRequests = script('find#find-requests');
  const ofWords = { words: keys.words, begins: keys.buyer('') };
  const begins = { identifiers: keys.identifiers(''), buyers: keys.buyer('') };
  const places = { versionKey: keys.buyersVersion, ...begins };

  return {
    /** Reads the buyers with these identifiers, by digest (16 characters). The text of a holder lists keys of buyers, 16 characters each. */
    async read(digests: readonly string[]): Promise<BuyersRead> {
      for (;;) {
        const pages = await Promise.all(
          Array.from({ length: Math.ceil(digests.length / PAGE) }, async (_none, at) => {
            const page = digests.slice(at * PAGE, (at + 1) * PAGE);
            return pageOf(page, (await read(places, { digests: page.join('') })) as BuyersAnswer);
          }),
        );
        const [first = { version: '0', holders: new Map(), buyers: new Map() }, ...others] = pages;
        // A write between two pages gave them different versions: read them again.
        if (others.some(({ version }) => version !== first.version)) continue;
        for (const { holders, buyers } of others) {
          for (const [digest, keysOfBuyers] of holders) first.holders.set(digest, keysOfBuyers);
          for (const [key, record] of buyers) first.buyers.set(key, record);
        }
        return first;
      }
    },

    /** Writes the whole change; or nothing, and answers false, if the buyers were changed since they were read. */
    async write({ version, holders, buyers, mends, likes }: BuyersChange): Promise<boolean> {
      const mended = mends.flatMap(({ buyer, row }) => [
        keys.call('company', buyer),
        keys.call('limit', row.key),
        keys.row(row.portfolio, row.key),
      ]);
      const told = { version, holders: linesOf(holders), records: linesOf(buyers), likes: [...likes].join('') };
      return (await write({ ...places, mended }, told)) === 1;
    },

    /** The present records of these buyers; those without a record are left out. */
    async records<Named extends { key: string }>(some: readonly Named[]): Promise<{ key: string; record: string }[]> {
      if (some.length === 0) return [];
      const found = await connection.mget(some.map(({ key }) => keys.buyer(key)));
      return some.flatMap(({ key }, at) => (found[at] ? [{ key, record: found[at] }] : []));
    },

    /** All buyers, in pages; one may come twice. */
    async *pages(): AsyncGenerator<{ key: string; record: string }[]> {
      const from = keys.buyer('').length;
      for await (const found of scanKeys(connection, keys.buyer(''), 'string')) {
        for (let at = 0; at < found.length; at += WORDS_PAGE) {
          yield await this.records(found.slice(at, at + WORDS_PAGE).map((key) => ({ key: key.slice(from) })));
        }
      }
    },

    /** Words that begin with a text, each with the key of its buyer, behind the entry `after`: `<word> <buyer>`. */
    withWord: (begins: string, { after = '', most }: { after?: string | undefined; most: number }) =>
      find({ words: keys.words }, { begins, after, most }) as Promise<string[]>,

    /** Adds the words of these buyers' records that the search index lacks; answers how many. */
    addWords: (some: readonly string[]) => compare(ofWords, { part: 'add', told: some }) as Promise<number>,

    /**
     * Removes words that no buyer's record has from one leaf of the search index (buyer-words.lua). Answers how many, and the next leaf;
     * the first leaf is `''`.
     */
    removeWords: (leaf: string) =>
      compare(ofWords, { part: 'remove', told: leaf }) as Promise<[removed: number, next: string | null]>,

    /** Keys of the buyers that a digest of a reference, or the id of a company, belongs to. */
    async named({ digest, companyId }: { digest: string; companyId: string }): Promise<string[]> {
      const [holders, maker, linked] = await Promise.all([
        connection.hget(keys.identifiers(digest.slice(0, 3)), digest.slice(3)),
        connection.hget(keys.madeIds('company', companyId), companyId),
        companyId.startsWith(KINDS.company.prefix) ? connection.smembers(keys.buyersAlike(companyId)) : [],
      ]);
      return [...new Set([...(holders?.match(/[\w-]{16}/g) ?? []), ...(maker ? [maker] : []), ...linked])];
    },

    /**
     * For each of these buyers those that may be the same company: directly, or by the buyer that first had the shared name or number. Of
     * very many only some.
     */
    async alikeTo(buyers: readonly string[]): Promise<Map<string, string[]>> {
      const linked = async (some: readonly string[]) => {
        const found = some.map(
          async (one) => [one, await connection.srandmember(keys.buyersAlike(one), MOST_ALIKE)] as const,
        );
        return new Map(await Promise.all(found));
      };
      const near = await linked(buyers);
      const far = await linked([...new Set([...near.values()].flat())]);
      const allOf = (buyer: string) => (near.get(buyer) ?? []).flatMap((one) => [one, ...(far.get(one) ?? [])]);
      return new Map(buyers.map((buyer) => [buyer, [...new Set(allOf(buyer))].filter((one) => one !== buyer)]));
    },

    requestOfLimit: (id: string): Promise<string | null> => connection.hget(keys.madeIds('limit', id), id),

    /**
     * The rows of these requests in the newest portfolios, and the last row for which each was sent, which may be of any portfolio, or
     * archived.
     */
    async rowsOf(requests: readonly string[]): Promise<RowId[]> {
      const places = { portfolios: keys.portfolios, rows: keys.rows };
      const [here, ...sent] = await Promise.all([
        findRequests(places, { most: PORTFOLIOS, requests }) as Promise<string[]>,
        ...requests.map((key) => connection.hget(keys.call('limit', key), 'row')),
      ]);
      return [...new Set([...here, ...sent])].flatMap((name) => rowIdOf(name ?? '') ?? []);
    },

    /** Keys of those buyers for whom nothing was sent: neither their company call nor the row's limit call is made, under way or in doubt. */
    async unsent(buyers: readonly { key: string; row: RowId }[]): Promise<Set<string>> {
      if (buyers.length === 0) return new Set();
      const step = connection.pipeline();
      for (const { key, row } of buyers) {
        step.hget(keys.call('company', key), 'state').hget(keys.call('limit', row.key), 'state');
      }
      const answers = answersOf(await step.exec());
      const isSent = (at: number) => SENT_STATES.has(String(answers[at]));
      return new Set(buyers.filter((_buyer, at) => !isSent(2 * at) && !isSent(2 * at + 1)).map(({ key }) => key));
    },
  };
}

/** The most buyers alike to one that are read. */
const MOST_ALIKE = 100;

/** Buyers whose words are compared by one script: a millisecond of Redis' time. */
const WORDS_PAGE = 50;

/** Portfolios in which a request is looked for that was not sent yet: two milliseconds of Redis' time. Older ones have sent theirs. */
const PORTFOLIOS = 2_000;

/** Identifiers read with one command: with their buyers a millisecond or two of Redis' time. */
const PAGE = 1_000;

/** Call states in which the service may have made something. */
export const SENT_STATES: ReadonlySet<string> = new Set(['claimed', 'unknown', 'made']);

/**
 * Joins keys and texts to lines, as write-buyers in buyers.lua takes them: many small arguments would cost more than the write itself. No
 * text contains a line break.
 */
function linesOf(map: ReadonlyMap<string, string>): string {
  let lines = '';
  for (const [key, text] of map) lines += `${key}${text}\n`;
  return lines;
}

/** The answer of read-buyers in buyers.lua. */
type BuyersAnswer = [version: string, pointing: (number | string)[], records: string[]];

function pageOf(digests: readonly string[], [version, pointing, records]: BuyersAnswer): BuyersRead {
  const holders = new Map<string, string>();
  const buyers = new Map<string, string>();
  for (let at = 0; at < pointing.length; at += 2) {
    holders.set(digests[pointing[at] as number] ?? '', pointing[at + 1] as string);
  }
  for (let at = 0; at < records.length; at += 2) buyers.set(records[at] ?? '', records[at + 1] ?? '');
  return { version, holders, buyers };
}
