import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../archive/gated-script.ts';
import type { Keys } from '../keys.ts';
import { pairsAsFields, readAtOnce } from '../read-at-once.ts';
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

/** Hears of the key of a row that was not as it should be, with what was wrong of it. */
type NoteRow = (found: { portfolio: string; is: 'state' | 'cause' | 'index' | 'row'; key: string }) => void;

/** Written with a portfolio whose rows were gone through by this version; an older one wrote `1`. */
export const TALLIED = '2';

/** Rows that are compared in one step: a millisecond or two of Redis' time. */
const PAGE = 100;

/** How often a failed row is looked at that moves between the look and the step. */
const LOOKS = 3;

/** Compares what is kept of rows (indexes, causes, sums) with the rows themselves, and mends it; in pages, while others move them. */
export function makeRowComparison({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [compareRows, compareIndex] = [script('compare-rows'), script('compare-index')];
  const [changeSide, leaveSide] = [script('change-side'), script('leave-side')];
  const change = makeGatedScript(connection, 'change-portfolio');
  const lists = makeRowLists({ connection, keys });
  const underWay = new Map<string, Promise<void>>();

  /** Tells of rows that lacked in the index of their state, in that of their cause, and in the sums as they are. */
  async function comparePage(
    portfolio: string,
    rowKeys: readonly string[],
    { side, note }: { side: string; note: NoteRow },
  ): Promise<void> {
    let args = rowKeys.flatMap((key) => [key, '', '', '', '', '']);
    for (let look = 0; look <= LOOKS && args.length > 0; look += 1) {
      const answer = (await compareRows([keys.account], [portfolio, side, ...args])) as [
        string[],
        string[],
        string[],
        string[],
      ];
      const [unplaced, uncaused, untallied, failed] = answer;
      for (const key of unplaced) note({ portfolio, is: 'state', key });
      for (const key of uncaused) note({ portfolio, is: 'cause', key });
      for (const key of untallied) note({ portfolio, is: 'row', key });
      const results = await lists.read(failed.map((key) => ({ portfolio, key })));
      args = failed.flatMap((key, at) => foundCauseArgs(key, results[at]));
    }
  }

  /** Takes out of an index what stands in it wrongly. */
  async function cleanIndex(
    portfolio: string,
    { index, field, value }: { index: string; field: 'state' | 'cause'; value: string },
    note: NoteRow,
  ): Promise<void> {
    for await (const members of scanMembers(connection, index)) {
      if (members.length === 0) continue;
      const wrong = (await compareIndex([index, keys.row(portfolio, '')], [field, value, ...members])) as string[];
      for (const key of wrong) note({ portfolio, is: 'index', key });
    }
  }

  async function cleanIndexes(portfolio: string, note: NoteRow): Promise<void> {
    for (const state of ROW_STATES) {
      await cleanIndex(portfolio, { index: keys.rowsInState(portfolio, state), field: 'state', value: state }, note);
    }
    for (const cause of await connection.hkeys(keys.causes(portfolio))) {
      await cleanIndex(portfolio, { index: keys.rowsOfCause(portfolio, cause), field: 'cause', value: cause }, note);
    }
  }

  /** Compares all rows that the indexes of their states have. */
  async function compareIndexed(portfolio: string, how: { side: string; note: NoteRow }): Promise<void> {
    for (const state of ROW_STATES) {
      for await (const page of pagesOf(lists, portfolio, state)) {
        for (const part of partsOf(page, PAGE)) {
          const rowKeys = part.map(({ key }) => key);
          await comparePage(portfolio, rowKeys, how);
        }
      }
    }
  }

  async function tallyRows(portfolio: string): Promise<void> {
    await compareIndexed(portfolio, { side: '', note: () => {} });
    await change([keys.portfolio(portfolio)], ['HSET', 'tallied', TALLIED]);
  }

  /**
   * Whether a row may stand in no index of a state: something is left of the sums that no row came over with, or imports brought in
   * more rows than the indexes have.
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

  return {
    /** Brings rows that an older version wrote into the sums and causes of their portfolio, once. */
    async tallyRows(portfolio: string): Promise<void> {
      const running = underWay.get(portfolio) ?? tallyRows(portfolio).finally(() => underWay.delete(portfolio));
      underWay.set(portfolio, running);
      await running;
    },

    /**
     * Compares all rows of these portfolios and mends what differs: those that the indexes have, and where rows may stand in none, all
     * that there are.
     *
     * @param note hears of each row that was not as it should be
     */
    async compare(portfolios: readonly string[], note: NoteRow = () => {}): Promise<Difference[]> {
      const sides = new Map<string, string>();
      const found = new Map<string, number>();
      const count: NoteRow = (row) => {
        const name = `${row.portfolio}/${row.is}`;
        found.set(name, (found.get(name) ?? 0) + 1);
        note(row);
      };
      for (const name of portfolios) {
        const places = [keys.portfolio(name), keys.sums(name, 'a'), keys.sums(name, 'b')];
        const side = String(await changeSide(places, []));
        sides.set(name, side);
        await compareIndexed(name, { side, note: count });
      }
      await compareLost(sides, count);
      const differences: Difference[] = [];
      for (const [portfolio, side] of sides) {
        await cleanIndexes(portfolio, count);
        const old = keys.sums(portfolio, side === 'a' ? 'b' : 'a');
        const left = (await leaveSide([keys.portfolio(portfolio), old, keys.causes(portfolio)], [side])) as string[];
        const names = namesOfSums(left.filter((_, at) => at % 2 === 0));
        for (const is of ['state', 'cause', 'index', 'row'] as const) {
          const rows = found.get(`${portfolio}/${is}`) ?? 0;
          if (rows > 0) differences.push({ portfolio, is, rows });
        }
        if (names.length > 0) differences.push({ portfolio, is: 'sums', rows: await rowCount(portfolio), names });
      }
      return differences;
    },
  };

  /** Goes once over all rows that there are, for the portfolios that may have rows in no index. */
  async function compareLost(sides: ReadonlyMap<string, string>, note: NoteRow): Promise<void> {
    const lacking = new Set<string>();
    for (const [name, side] of sides) if (await lacksRows(name, side)) lacking.add(name);
    if (lacking.size === 0) return;
    for await (const { portfolio, rowKeys } of rowPages(connection, keys, lacking)) {
      await comparePage(portfolio, rowKeys, { side: sides.get(portfolio) ?? '', note });
    }
  }

  async function rowCount(portfolio: string): Promise<number> {
    const counts = await Promise.all(ROW_STATES.map((state) => connection.zcard(keys.rowsInState(portfolio, state))));
    return sumOf(counts);
  }
}

function sumOf(counts: readonly unknown[]): number {
  return counts.reduce((sum: number, count) => sum + Number(count), 0);
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
