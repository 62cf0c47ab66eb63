import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import { ROW_STATES, type RowResult } from '../row.ts';
import type { RowId } from '../row-id.ts';
import { makeRowLists } from '../row-lists.ts';
import { pagesOf } from '../row-pages.ts';
import { causeOf, meaningOfProblem } from './cause.ts';
import { causeArgs } from './causes.ts';
import { scanKeys } from './scan-keys.ts';
import { namesOfSums } from './sums.ts';

/** What was not as the rows are, and is now. */
export type Difference = {
  portfolio: string;
  /**
   * Rows that lacked in the index of their `state` or `cause`; members of such an `index` that were in it wrongly; rows whose own
   * part of the sums was another (`row`); or `sums` that were not those of the rows, of so many rows in all.
   */
  is: 'state' | 'cause' | 'index' | 'row' | 'sums';
  rows: number;
  /** Which sums and counts differed. */
  names?: string[];
};

/** Rows that are compared in one step: some milliseconds of Redis' time. */
const PAGE = 200;

/** How often a failed row is looked at that moves between the look and the step. */
const LOOKS = 3;

/** Compares what is kept of rows (indexes, causes, sums) with the rows themselves, and mends it; in pages, while others move them. */
export function makeRowComparison({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [compareRows, compareIndex] = [script('compare-rows'), script('compare-index')];
  const [changeSide, leaveSide] = [script('change-side'), script('leave-side')];
  const lists = makeRowLists({ connection, keys });
  const underWay = new Map<string, Promise<void>>();

  /** Answers how many rows lacked in the index of their state, in that of their cause, and in the sums as they are. */
  async function comparePage(portfolio: string, rowKeys: readonly string[], side: string): Promise<number[]> {
    const places = [keys.portfolio(portfolio), keys.row(portfolio, '')];
    const counts = [0, 0, 0];
    let args = rowKeys.flatMap((key) => [key, '', '', '', '', '']);
    for (let look = 0; look <= LOOKS && args.length > 0; look += 1) {
      const answer = (await compareRows(places, [side, ...args])) as [number, number, number, ...string[]];
      const [unplaced, uncaused, untallied, ...failed] = answer;
      for (const [at, count] of [unplaced, uncaused, untallied].entries()) counts[at] = (counts[at] ?? 0) + count;
      const results = await lists.read(failed.map((key) => ({ portfolio, key })));
      args = failed.flatMap((key, at) => foundCauseArgs(key, results[at]));
    }
    return counts;
  }

  /** Takes out of an index what stands in it wrongly, and answers how many rows that were. */
  async function cleanIndex(portfolio: string, index: string, field: 'state' | 'cause', value: string) {
    let wrong = 0;
    for await (const members of scanMembers(connection, index)) {
      if (members.length === 0) continue;
      wrong += Number(await compareIndex([index, keys.row(portfolio, '')], [field, value, ...members]));
    }
    return wrong;
  }

  async function cleanIndexes(portfolio: string): Promise<number> {
    let wrong = 0;
    for (const state of ROW_STATES) {
      wrong += await cleanIndex(portfolio, keys.rowsInState(portfolio, state), 'state', state);
    }
    for (const cause of await connection.hkeys(keys.causes(portfolio))) {
      wrong += await cleanIndex(portfolio, keys.rowsOfCause(portfolio, cause), 'cause', cause);
    }
    return wrong;
  }

  async function tallyRows(portfolio: string): Promise<void> {
    for (const state of ROW_STATES) {
      for await (const page of pagesOf(lists, portfolio, state)) {
        for (const part of partsOf(page, PAGE)) {
          await comparePage(
            portfolio,
            part.map(({ key }) => key),
            '',
          );
        }
      }
    }
    await connection.hset(keys.portfolio(portfolio), 'tallied', '1');
  }

  return {
    /** Brings rows that an older version wrote into the sums and causes of their portfolio, once. */
    async tallyRows(portfolio: string): Promise<void> {
      const running = underWay.get(portfolio) ?? tallyRows(portfolio).finally(() => underWay.delete(portfolio));
      underWay.set(portfolio, running);
      await running;
    },

    /** Compares all rows of these portfolios, going once over all rows that there are, and mends what differs. */
    async compare(portfolios: readonly string[]): Promise<Difference[]> {
      const sides = new Map<string, string>();
      for (const name of portfolios) {
        const places = [keys.portfolio(name), keys.sums(name, 'a'), keys.sums(name, 'b')];
        sides.set(name, String(await changeSide(places, [])));
      }
      const found = new Map(portfolios.map((name) => [name, [0, 0, 0]]));
      for await (const { portfolio, rowKeys } of rowPages(connection, keys, new Set(portfolios))) {
        const counts = await comparePage(portfolio, rowKeys, sides.get(portfolio) ?? '');
        const before = found.get(portfolio) ?? [];
        found.set(
          portfolio,
          counts.map((count, at) => count + (before[at] ?? 0)),
        );
      }
      const differences: Difference[] = [];
      for (const portfolio of portfolios) {
        const [state = 0, cause = 0, row = 0] = found.get(portfolio) ?? [];
        const index = await cleanIndexes(portfolio);
        const side = sides.get(portfolio) ?? 'a';
        const old = keys.sums(portfolio, side === 'a' ? 'b' : 'a');
        const left = (await leaveSide([keys.portfolio(portfolio), old, keys.causes(portfolio)], [side])) as string[];
        const names = namesOfSums(left.filter((_, at) => at % 2 === 0));
        const counted = { state, cause, index, row };
        for (const [is, rows] of Object.entries(counted) as [keyof typeof counted, number][]) {
          if (rows > 0) differences.push({ portfolio, is, rows });
        }
        if (names.length > 0) differences.push({ portfolio, is: 'sums', rows: await rowCount(portfolio), names });
      }
      return differences;
    },
  };

  async function rowCount(portfolio: string): Promise<number> {
    const counts = await Promise.all(ROW_STATES.map((state) => connection.zcard(keys.rowsInState(portfolio, state))));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

/** What compare-rows.lua is told of a failed row whose cause is not known. */
function foundCauseArgs(key: string, result: RowResult | undefined): string[] {
  if (result?.state !== 'refused' && result?.state !== 'held') return [];
  const problem = result.problem ?? { step: result.step, message: '' };
  const meaning = meaningOfProblem(problem) ?? (result.state === 'held' ? 'unknown' : 'refused');
  return [key, String(result.updatedMs), ...causeArgs(causeOf(problem, meaning, result.request))];
}

/** All rows of these portfolios, in pages. Each that is there from the beginning to the end comes at least once. */
async function* rowPages(connection: RedisConnection, keys: Keys, portfolios: ReadonlySet<string>) {
  const pages = new Map<string, string[]>();
  for await (const found of scanKeys(connection, keys.rows)) {
    for (const { portfolio, key } of found.map((name) => rowIn(name.slice(keys.rows.length)))) {
      if (!portfolios.has(portfolio)) continue;
      const rowKeys = pages.get(portfolio) ?? [];
      rowKeys.push(key);
      pages.set(portfolio, rowKeys);
      if (rowKeys.length < PAGE) continue;
      pages.delete(portfolio);
      yield { portfolio, rowKeys };
    }
  }
  for (const [portfolio, rowKeys] of pages) yield { portfolio, rowKeys };
}

/** `<portfolio>:<key>`; neither has a colon. */
function rowIn(name: string): RowId {
  const [portfolio = '', key = '', ...more] = name.split(':');
  return more.length === 0 ? { portfolio, key } : { portfolio: '', key: '' };
}

async function* scanMembers(connection: RedisConnection, index: string): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, found] = await connection.zscan(index, cursor, 'COUNT', PAGE);
    yield found.filter((_, at) => at % 2 === 0);
    cursor = next;
  } while (cursor !== '0');
}

function* partsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
