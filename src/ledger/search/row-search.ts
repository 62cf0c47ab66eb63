import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { ROW_STATES } from '../schema/row.ts';
import { type FoundRow, matches, type RowFilter } from './row-filter.ts';
import { makeRowLists } from './row-lists.ts';
import { cursorOf, cursorText } from './row-pages.ts';
import { LINES_OF_COLUMN, makeRowSources } from './row-sources.ts';
import { makeRowWalks, type SearchOptions } from './row-walks.ts';

/**
 * Rows that a filter means, some at a time. `next` names the page behind it, and is lacking where there is none. A page may have
 * fewer rows than were asked for, or none, and others behind it all the same, since no page goes through more than some
 * thousands. `unindexed` is how many rows a search by text cannot find by name, number or id, since they were brought in without
 * the indexes: `reconcile` puts them there.
 */
export type RowPage = { found: FoundRow[]; next?: string; unindexed?: number };

/** How many rows a filter means; where they are not counted to the end, how many there are at least. */
export type RowCount = { rows: number; isExact: boolean };

/** What a page may cost, in rows read: some 50 ms. */
const MOST_READ = 2_000;
/** Rows read with one look where most of them may be others than those that are meant. */
const READ_AT_ONCE = 250;
/** Counted one by one. */
const MOST_COUNTED = 1_000;

/**
 * Finds the rows that a filter means, in the order of their lines, and those found by the beginning of their name behind the
 * others, in the order of names. A page goes on by key, not by place: who moves rows meanwhile makes none come twice, and hides
 * none that stays what the filter means.
 */
export function makeRowSearch(options: SearchOptions) {
  const sources = makeRowSources(options);
  const { wayTo } = makeRowWalks(options, sources);

  /**
   * @param after where the page before it ended, as that said
   * @throws LimitlineError `USAGE` for an `after` that is none, and for a text that only an index which is turned off could find
   */
  async function page(
    portfolio: string,
    filter: RowFilter,
    { after, count }: { after?: string | undefined; count: number },
  ): Promise<RowPage> {
    let place = after === undefined ? undefined : cursorOf(after);
    const { walk, referred, unindexed } = await wayTo(portfolio, filter);
    const told = unindexed > 0 ? { unindexed } : {};
    const isSure = filter.text === undefined && (filter.cause === undefined || Object.keys(filter).length === 1);
    const found: FoundRow[] = [];
    let last = place;
    for (let cost = 0; ; ) {
      const step = await walk(place, isSure ? count + 1 : READ_AT_ONCE);
      for (const { at, ...row } of step.rows) {
        if (!matches(row, filter, referred)) continue;
        if (found.length === count) return { found, ...(last ? { next: cursorText(last) } : {}), ...told };
        found.push(row);
        last = at;
      }
      place = step.next;
      cost += step.cost;
      if (!place) return { found, ...told };
      if (cost >= MOST_READ) return { found, next: cursorText(place), ...told };
    }
  }

  return {
    page,

    /** All rows that the filter means, page by page; each that is meant from the beginning to the end comes once. */
    async *all(portfolio: string, filter: RowFilter): AsyncGenerator<FoundRow[]> {
      let after: string | undefined;
      do {
        const { found, next }: RowPage = await page(portfolio, filter, { after, count: READ_AT_ONCE });
        if (found.length > 0) yield found;
        after = next;
      } while (after !== undefined);
    },

    /** How many rows the filter means: exactly by states or by cause, else up to a thousand. */
    async count(portfolio: string, filter: RowFilter): Promise<RowCount> {
      const { states = [], cause, status, min, max, text } = filter;
      const isPlain = [status, min, max, text].every((each) => each === undefined);
      if (isPlain && cause === undefined) {
        const sizes = (await sources.sizes(portfolio)).states;
        const meant = states.length > 0 ? states : ROW_STATES;
        return { rows: meant.reduce((sum, state) => sum + (sizes.get(state) ?? 0), 0), isExact: true };
      }
      if (isPlain && cause !== undefined && states.length === 0) {
        return { rows: await sources.sizeOfCause(portfolio, cause), isExact: true };
      }
      const { found, next } = await page(portfolio, filter, { count: MOST_COUNTED });
      return { rows: found.length, isExact: next === undefined };
    },
  };
}

/** Columns and rows that one script looks at: some milliseconds of Redis' time. */
const MOST_LOOKED_AT = 4_000;

/** Looks of that many: where most rows of a size are others than those that wait, the answer is not exact after them. */
const MOST_LOOKS = 6;

/** So few are read one by one. */
const FEW_ROWS = 500;

/** The largest rows that wait for an approval, by the columns of amounts that searches use too. */
export function makeLargestRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const look = makeLuaScript(connection, new URL('../lua/largest-rows.lua', import.meta.url));
  const { sizes } = makeRowSources({ connection, keys });
  const { read } = makeRowLists({ connection, keys });

  /** Keys of rows among which the largest are. */
  async function candidates(portfolio: string, approval: string, count: number) {
    const own = keys.approvalRows(portfolio, approval);
    const { rows, indexed, lastLine } = await sizes(portfolio);
    const isFew = (await connection.zcard(own)) <= FEW_ROWS;
    // Rows that came without the indexes stand in no column.
    if (isFew || indexed < rows)
      return { found: await connection.zrange(own, '0', String(FEW_ROWS - 1)), isExact: isFew };
    const places = { portfolio: keys.portfolio(portfolio), begins: keys.row(portfolio, '') };
    const of = { approval, rows: count, last: Math.floor(lastLine / LINES_OF_COLUMN), most: MOST_LOOKED_AT };
    let [size, column, best]: [string, string, string[]] = ['', '0', []];
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      [size = '', column = '0', ...best] = (await look(places, { ...of, size, column, known: best })) as string[];
      if (size === '') break;
    }
    return { found: best.filter((_text, at) => at % 2 === 0), isExact: size === '' };
  }

  return {
    /**
     * The largest rows that wait for an approval, in no order, and perhaps others of it. `isExact` is false where there may be larger
     * ones: the work is bounded, and most rows that it met were others.
     */
    async largestOf(
      { portfolio, id }: { portfolio: string; id: string },
      count: number,
    ): Promise<{ found: FoundRow[]; isExact: boolean }> {
      const { found, isExact } = await candidates(portfolio, id, count);
      const rows = found.map((key) => ({ portfolio, key }));
      const results = await read(rows);
      const waiting = rows.flatMap((row, place) => {
        const result = results[place];
        return result?.state === 'awaiting' && result.approval === id ? [{ row, result }] : [];
      });
      return { found: waiting, isExact };
    },
  };
}
