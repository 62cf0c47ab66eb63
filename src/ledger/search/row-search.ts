import { makeLuaScript } from '../../lua-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { type FoundRow, matches, type RowFilter } from './row-filter.ts';
import { makeRowOrders, placeIn, type RowOrder, reversed } from './row-order.ts';
import { type Cursor, cursorOf, cursorText, makeRowLists } from './row-pages.ts';
import { LINES_OF_COLUMN, makeRowSources } from './row-sources.ts';
import { makeRowWalks, type SearchOptions } from './row-walks.ts';

/**
 * A page of rows that match a filter. `next` is the cursor of the following page, if there is one. A page may have fewer rows than asked
 * for, or none, even if others follow, since each page visits only some thousands of rows. `unindexed`: number of rows that a search by
 * text cannot find by name, number or id, or that an order lacks, since they were imported without the indexes; `reconcile` adds them.
 */
export type RowPage = { found: FoundRow[]; next?: string; unindexed?: number };

/** Rows that one page may read: some 50 ms. */
const MOST_READ = 2_000;
/** Rows read at once if most of them may not match. */
const READ_AT_ONCE = 250;
/** If a filter has a text, a row and those beside it are looked for among this many first rows of the list: five pages. */
const MOST_BESIDE = 200;

/**
 * Finds the rows that match a filter, by line or in another order; by line, rows found by words of their name come last. Pages continue by
 * key and not by index, so moves of rows make none come twice, and hide none that keeps matching.
 */
export function makeRowSearch(options: SearchOptions) {
  const sources = makeRowSources(options);
  const walks = makeRowWalks(options, sources);
  const wayInOrder = makeRowOrders(sources, walks);

  /**
   * @param given.after the `next` of the previous page, in the same order
   * @throws LimitlineError `USAGE` for an invalid `after`, for a text or an order that needs an index which is turned off, and for
   *   more rows than can be sorted
   */
  async function page(
    portfolio: string,
    filter: RowFilter,
    { after, count, order = 'line' }: { after?: string | undefined; count: number; order?: RowOrder | undefined },
  ): Promise<RowPage> {
    let place = after === undefined ? undefined : cursorOf(after);
    const way = order === 'line' ? walks.wayTo(portfolio, filter) : wayInOrder(portfolio, filter, order);
    const { walk, isSure, referred, unindexed, meanings } = await way;
    const told = unindexed > 0 ? { unindexed } : {};
    const found: FoundRow[] = [];
    let last = place;
    for (let cost = 0; ; ) {
      const step = await walk(place, isSure ? count + 1 : READ_AT_ONCE);
      for (const { at, ...row } of step.rows) {
        if (!matches(row, filter, referred, meanings)) continue;
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

  /** The key of the row that follows a place in an order; undefined if the next page of that order has no row. */
  async function keyBehind(portfolio: string, filter: RowFilter, order: RowOrder, place: Cursor) {
    const { found } = await page(portfolio, filter, { after: cursorText(place), count: 1, order });
    return found[0]?.row.key;
  }

  return {
    page,

    /**
     * The keys of the rows before and behind a row in a list. If the filter has a text, the row is looked for among the first {@link
     * MOST_BESIDE} rows only.
     *
     * @throws LimitlineError as {@link page} does
     */
    async beside(portfolio: string, key: string, { filter, order }: { filter: RowFilter; order: RowOrder }) {
      if (filter.text !== undefined) {
        const { found } = await page(portfolio, filter, { count: MOST_BESIDE, order });
        const at = found.findIndex(({ row }) => row.key === key);
        return at < 0 ? {} : { before: found[at - 1]?.row.key, behind: found[at + 1]?.row.key };
      }
      const [found] = await walks.readAll(portfolio, [key]);
      if (!found) return {};
      const place = placeIn(found, order);
      const [before, behind] = await Promise.all([
        keyBehind(portfolio, filter, reversed(order), place),
        keyBehind(portfolio, filter, order, place),
      ]);
      return { before, behind };
    },

    /** All matching rows, in pages; a row that matches during the whole walk comes once. */
    async *all(portfolio: string, filter: RowFilter): AsyncGenerator<FoundRow[]> {
      let after: string | undefined;
      do {
        const { found, next }: RowPage = await page(portfolio, filter, { after, count: READ_AT_ONCE });
        if (found.length > 0) yield found;
        after = next;
      } while (after !== undefined);
    },
  };
}

/** Columns and rows that one script visits: some milliseconds of Redis' time. */
const MOST_LOOKED_AT = 4_000;

/** Most runs of largest-rows.lua. If most rows of a size do not wait for the approval, the answer is not exact after them. */
const MOST_LOOKS = 6;

/** Up to this many rows of an approval are read one by one. */
const FEW_ROWS = 500;

/** Finds the largest rows that wait for an approval, in the columns of amounts. */
export function makeLargestRows({ connection, keys }: LedgerPlace) {
  const look = makeLuaScript(connection, new URL('../lua/largest-rows.lua', import.meta.url));
  const { sizes } = makeRowSources({ connection, keys });
  const { read } = makeRowLists({ connection, keys });

  /** Keys of at least the `count` rows with the largest requested amounts; further rows may be among them. */
  async function candidates(portfolio: string, approval: string, count: number) {
    const own = keys.approvalRows(portfolio, approval);
    const { rows, indexed, lastLine } = await sizes(portfolio);
    const isFew = (await connection.zcard(own)) <= FEW_ROWS;
    // Rows imported without the search indexes are in no column, so the columns are used only if all rows are indexed.
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
     * The largest rows that wait for an approval, unordered, perhaps with others of it. `isExact` is false if there may be larger ones,
     * since the search is bounded.
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
