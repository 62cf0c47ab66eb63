import { ROW_STATES } from '../schema/row.ts';
import { cursorOf, cursorText } from './row-cursor.ts';
import type { RowFilter } from './row-filter.ts';
import { type FoundRow, matches } from './row-matches.ts';
import { makeRowSources } from './row-sources.ts';
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
