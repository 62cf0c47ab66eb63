import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { causeArgs, causeOf, meaningOfProblem } from '../counts/cause.ts';
import { namesOfSums } from '../counts/sums.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { pairsAsFields, readAtOnce, scanKeys } from '../schema/redis-reads.ts';
import { ROW_STATES, type RowResult } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { makeRowLists, pagesOf } from '../search/row-pages.ts';
import { makeRowWords, makeSweeps } from './sweeps.ts';

/**
 * The kinds of differences, in the order of reports. `state`, `cause`: rows missing in the index of their state or cause. `index`: entries
 * of these two indexes whose row is not in that state or cause. `row`: rows whose own tally was wrong. `sums`: the portfolio's sums
 * differed from the sums over its rows. `search`: rows that some search word did not find. `entry`: entries of the search indexes whose row
 * does not have that word.
 */
const KINDS = ['state', 'cause', 'index', 'row', 'sums', 'search', 'entry'] as const;
type Kind = (typeof KINDS)[number];

/** A mended difference: the number of rows or entries; for sums all rows, and `names` of the sums that differed. */
export type MendedDifference = { portfolio: string; is: Kind; rows: number; names?: string[] };

/** Called with the key of each row that differed, and how; several times if several things did. */
type NoteRow = (found: { portfolio: string; is: Exclude<Kind, 'sums'>; key: string }) => void;

/** The mark of a portfolio whose rows this version has added to the sums; older versions wrote `1` and `2`. */
export const TALLIED = '3';

/** Rows compared in one step: some milliseconds of Redis' time. */
const PAGE = 100;

/** The most attempts to compare a row that changes between reading and comparing it. */
const LOOKS = 3;

/**
 * The settings of one comparison. `side`: the one of the portfolio's two hashes of sums, "a" or "b", into which each compared row is moved;
 * "" for none (compare-rows.lua).
 */
type How = { side: string; note: NoteRow };

/** Numbers of compared rows, of their ids and numbers, and of index entries that were added. */
type Compared = { rows: number; ids: number; addedIds: number; addedNames: number };

/**
 * Compares the indexes (by state, cause and search) and the sums of portfolios with their rows, in pages, while other processes move the
 * rows. Differences are mended. The right indexes and sums of a row come from derive.lua, which also writes them whenever a row changes.
 */
export function makeRowComparison(asked: {
  connection: RedisConnection;
  keys: Keys;
  isSearched?: boolean | undefined;
}) {
  const { connection, keys, isSearched = true } = asked;
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [compareLua, changeSide] = [script('compare-rows'), script('change-side')];
  const change = makeGatedScript(connection, 'general#change-fields');
  const lists = makeRowLists({ connection, keys });
  const readWords = makeRowWords({ connection, keys });
  const sweeps = makeSweeps({ connection, keys, words: readWords });
  const underWay = new Map<string, Promise<void>>();
  const sidesOf = (name: string) => {
    const sums = { a: keys.sums(name, 'a'), b: keys.sums(name, 'b') };
    return { portfolio: keys.portfolio(name), ...sums, causes: keys.causes(name) };
  };

  /**
   * Compares rows of one portfolio with its indexes by state and cause, and its sums. The search indexes are compared too if a side is
   * given.
   */
  async function comparePage(page: readonly RowId[], { side, note }: How, all = nothingYet()): Promise<void> {
    const portfolio = page[0]?.portfolio ?? '';
    let left = page.map((row) => ({ row, isSearched: isSearched && side !== '', cause: NO_CAUSE }));
    for (let look = 0; look <= LOOKS && left.length > 0; look += 1) {
      const searched = left.filter((one) => one.isSearched).map(({ row }) => row);
      const words = new Map((await readWords(searched)).map((one, at) => [searched[at], one]));
      const told = left.flatMap(({ row, cause }) => [row.key, ...(words.get(row) ?? ['', '']), ...cause]);
      const answer = (await compareLua({ account: keys.account }, { name: portfolio, side, told })) as Answer;
      const [state, cause, search, row, uncaused, others, [rows, ids, addedIds, addedNames]] = answer;
      for (const [is, found] of Object.entries({ state, cause, search, row })) {
        for (const key of found) note({ portfolio, is: is as 'state', key });
      }
      if (look === 0) all.rows += rows;
      all.ids += ids;
      all.addedIds += addedIds;
      all.addedNames += addedNames;
      left = await lookedAtAgain(portfolio, new Set(uncaused), new Set(others));
    }
  }

  /** The rows to compare again: those whose cause the script needs, and those that got another request since they were read. */
  async function lookedAtAgain(portfolio: string, uncaused: ReadonlySet<string>, others: ReadonlySet<string>) {
    const rows = [...new Set([...uncaused, ...others])].map((key) => ({ portfolio, key }));
    const results = await lists.read(rows);
    return rows.flatMap((row, at) => {
      const cause = uncaused.has(row.key) ? foundCause(results[at]) : NO_CAUSE;
      const isOther = others.has(row.key);
      return cause === NO_CAUSE && !isOther ? [] : [{ row, isSearched: isOther, cause }];
    });
  }

  async function compareIndexed(portfolio: string, how: How, all?: Compared): Promise<void> {
    for (const state of ROW_STATES) {
      for await (const page of pagesOf(lists, portfolio, state)) {
        for (let from = 0; from < page.length; from += PAGE) await comparePage(page.slice(from, from + PAGE), how, all);
      }
    }
  }

  async function tallyRows(portfolio: string): Promise<void> {
    await compareIndexed(portfolio, { side: '', note: () => {} });
    await change({ hash: keys.portfolio(portfolio) }, { changes: ['HSET', 'tallied', TALLIED] });
  }

  /**
   * Whether some rows may be in no index by state. All indexed rows were moved to the other hash of sums before, so a rest in the old hash
   * is of such rows. The same holds if imports brought in more rows than the indexes have.
   */
  async function lacksRows(portfolio: string, side: string): Promise<boolean> {
    const old = keys.sums(portfolio, side === 'a' ? 'b' : 'a');
    const { answers } = await readAtOnce(connection, [
      ['EXISTS', old],
      ['HGETALL', keys.portfolio(portfolio)],
      ...ROW_STATES.map((state) => ['ZCARD', keys.rowsInState(portfolio, state)] as const),
    ]);
    const [left, hash, ...sizes] = answers;
    if (left === 1) return true;
    const fields = Object.entries(pairsAsFields(hash));
    if (!fields.some(([field]) => field === 'counted')) return true;
    const added = fields.filter(([field]) => field.startsWith('added:')).map(([, count]) => count);
    return sumOf(added) !== sumOf(sizes);
  }

  /** Walks all rows once, and compares those of portfolios that may have rows in no index. */
  async function compareLost(sides: ReadonlyMap<string, string>, note: NoteRow): Promise<void> {
    const lacking = new Set<string>();
    for (const [name, side] of sides) if (await lacksRows(name, side)) lacking.add(name);
    if (lacking.size === 0) return;
    for await (const page of rowPages(connection, keys, lacking)) {
      await comparePage(page, { side: sides.get(page[0]?.portfolio ?? '') ?? '', note });
    }
  }

  async function rowCount(portfolio: string): Promise<number> {
    const counts = await Promise.all(ROW_STATES.map((state) => connection.zcard(keys.rowsInState(portfolio, state))));
    return sumOf(counts);
  }

  /** The names of the sums that are left in the old hash after all rows were moved out of it: these sums were wrong. */
  async function leftOfSums(portfolio: string, side: string): Promise<string[]> {
    const left = (await changeSide(sidesOf(portfolio), { side })) as string[];
    return namesOfSums(left.filter((_, at) => at % 2 === 0));
  }

  return {
    /** Adds rows of an older version to the sums and causes of their portfolio, once. */
    async tallyRows(portfolio: string): Promise<void> {
      const running = underWay.get(portfolio) ?? tallyRows(portfolio).finally(() => underWay.delete(portfolio));
      underWay.set(portfolio, running);
      await running;
    },

    /**
     * Compares the rows of these portfolios with their indexes and sums, and mends differences. It reads the rows in the indexes by state,
     * and all rows if some may be in none. Search entries are read only if there are more of them than the rows need.
     *
     * @param note called with each row that differed
     */
    async compare(portfolios: readonly string[], note: NoteRow = () => {}): Promise<MendedDifference[]> {
      const sides = new Map<string, string>();
      const found = new Map<string, number>();
      const count: NoteRow = (row) => {
        const name = `${row.portfolio}/${row.is}`;
        found.set(name, (found.get(name) ?? 0) + 1);
        note(row);
      };
      for (const name of portfolios) {
        const side = String(await changeSide(sidesOf(name), {}));
        sides.set(name, side);
        // The sizes are read before the rows. An entry that is added in between then counts for the rows, and never for the index alone.
        const before = isSearched ? await sweeps.sizes(name) : { names: 0, ids: 0 };
        const all = nothingYet();
        await compareIndexed(name, { side, note: count }, all);
        const [names, ids] = [before.names + all.addedNames > all.rows, before.ids + all.addedIds > all.ids];
        const noteEntry = (key: string) => count({ portfolio: name, is: 'entry', key });
        if (isSearched) await sweeps.ofSearch(name, { rows: all.rows, names, ids }, noteEntry);
      }
      await compareLost(sides, count);
      const differences: MendedDifference[] = [];
      for (const [portfolio, side] of sides) {
        await sweeps.ofStates(portfolio, (key) => count({ portfolio, is: 'index', key }));
        const names = await leftOfSums(portfolio, side);
        for (const is of KINDS) {
          const rows = is === 'sums' && names.length > 0 ? await rowCount(portfolio) : found.get(`${portfolio}/${is}`);
          if (rows !== undefined) differences.push({ portfolio, is, rows, ...(is === 'sums' && { names }) });
        }
      }
      return differences;
    },

    /** Compares the list of all held rows with the rows, mends it, and answers how many entries differed. */
    async compareHeld(portfolios: readonly string[]): Promise<number> {
      let others = 0;
      await sweeps.ofHeld(() => (others += 1));
      const note: NoteRow = ({ is }) => {
        if (is === 'state') others += 1;
      };
      for (const name of portfolios) {
        for await (const page of pagesOf(lists, name, 'held')) await comparePage(page, { side: '', note });
      }
      return others;
    },
  };
}

/** The answer of compare-rows.lua. */
type Answer = [
  state: string[],
  cause: string[],
  search: string[],
  row: string[],
  uncaused: string[],
  others: string[],
  counts: [rows: number, ids: number, addedIds: number, addedNames: number],
];

const nothingYet = (): Compared => ({ rows: 0, ids: 0, addedIds: 0, addedNames: 0 });

const sumOf = (counts: readonly unknown[]): number => counts.reduce((sum: number, count) => sum + Number(count), 0);

const NO_CAUSE: readonly string[] = ['', '', '', '', ''];

/** The arguments of compare-rows.lua for a failed row without a known cause. */
function foundCause(result: RowResult | undefined): readonly string[] {
  if (result?.state !== 'refused' && result?.state !== 'held') return NO_CAUSE;
  const problem = result.problem ?? { step: result.step, message: '' };
  const meaning = meaningOfProblem(problem) ?? (result.state === 'held' ? 'unknown' : 'refused');
  return [String(result.updatedMs), ...causeArgs(causeOf(problem, meaning, result.request))];
}

/** All rows of these portfolios, in pages of one portfolio each. A row that exists during the whole walk comes at least once. */
async function* rowPages(connection: RedisConnection, keys: Keys, portfolios: ReadonlySet<string>) {
  const pages = new Map<string, RowId[]>();
  for await (const found of scanKeys(connection, keys.rows)) {
    for (const row of found.map((name) => rowIn(name.slice(keys.rows.length)))) {
      if (!portfolios.has(row.portfolio)) continue;
      const page = pages.get(row.portfolio) ?? [];
      page.push(row);
      pages.set(row.portfolio, page);
      if (page.length < PAGE) continue;
      pages.delete(row.portfolio);
      yield page;
    }
  }
  yield* pages.values();
}

/** Reads the name of a row, `<portfolio>:<key>`; neither part contains a colon. */
function rowIn(name: string): RowId {
  const [portfolio = '', key = '', ...more] = name.split(':');
  return more.length === 0 ? { portfolio, key } : { portfolio: '', key: '' };
}
