import { createHash } from 'node:crypto';
import { makeLuaScript } from '../../lua-script.ts';
import { ROW_STATES } from '../row.ts';
import { makeRowLists } from '../row-lists.ts';
import { pagesOf } from '../row-pages.ts';
import { indexWords } from './index-words.ts';
import { LINES_OF_COLUMN, ROWS_OF_BUCKET } from './row-sources.ts';
import type { SearchOptions } from './row-walks.ts';

/** Rows that were not found by all that they are searched by, and entries of the indexes that were of no row: both are mended. */
export type SearchDifference = { lacking: number; wrong: number };

/** Hears of a row's key. A row may come several times, once for each entry that was wrong. */
type NoteRow = (is: keyof SearchDifference, key: string) => void;

/** Rows that are compared in one step: a millisecond or two of Redis' time. */
const PAGE = 100;
/** How often a row is looked at that gets other words between the look and the step. */
const LOOKS = 3;

/** Compares the indexes by which rows are searched with the rows, while others move them, and mends them. */
export function makeSearchComparison({
  connection,
  keys,
  isSearched = true,
}: Pick<SearchOptions, 'connection' | 'keys' | 'isSearched'>) {
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [compare, sweep, sweepNames] = [script('compare-search'), script('sweep-search'), script('sweep-names')];
  const lists = makeRowLists({ connection, keys });
  const placesOf = (portfolio: string) => [keys.portfolio(portfolio), keys.row(portfolio, '')];

  /** Of each row its key, the digest of its request, and the words that it is searched by; '' and '' of one that there is not. */
  async function wordsOf(
    portfolio: string,
    rowKeys: readonly string[],
  ): Promise<[key: string, digest: string, words: string][]> {
    const step = connection.pipeline();
    for (const key of rowKeys) step.hget(keys.row(portfolio, key), 'request');
    const answers = (await step.exec()) ?? [];
    return rowKeys.map((key, at) => {
      const [error, request] = answers[at] ?? [];
      if (error) throw error;
      if (typeof request !== 'string') return [key, '', ''];
      return [key, createHash('sha1').update(request).digest('hex'), indexWords(JSON.parse(request))];
    });
  }

  /** Puts in what lacks of these rows. */
  async function comparePage(portfolio: string, rowKeys: readonly string[], note: NoteRow): Promise<Compared> {
    const compared = { lacking: 0, ids: 0, addedIds: 0, addedNames: 0 };
    let left = rowKeys;
    for (let look = 0; look < LOOKS && left.length > 0; look += 1) {
      const args = (await wordsOf(portfolio, left)).filter(([, digest]) => digest !== '').flat();
      const answer = (await compare(placesOf(portfolio), args)) as [number, number, number, string[], string[]];
      const [ids, addedIds, addedNames, lacking, others] = answer;
      add(compared, { lacking: lacking.length, ids, addedIds, addedNames });
      for (const key of lacking) note('lacking', key);
      left = others;
    }
    return compared;
  }

  /** How many entries a portfolio has in its buckets, and in its columns, with the sets that have any. */
  async function sizesOf(sets: readonly string[]): Promise<{ set: string; size: number }[]> {
    const found: { set: string; size: number }[] = [];
    for (const page of partsOf(sets, 1_000)) {
      const step = connection.pipeline();
      for (const set of page) step.zcard(set);
      const sizes = (await step.exec()) ?? [];
      for (const [at, set] of page.entries())
        if (Number(sizes[at]?.[1]) > 0) found.push({ set, size: Number(sizes[at]?.[1]) });
    }
    return found;
  }

  async function sweepSets(
    portfolio: string,
    kind: 'id' | 'column',
    sets: readonly { set: string }[],
    note: NoteRow,
  ): Promise<number> {
    let wrong = 0;
    for (const { set } of sets) {
      const places = [...placesOf(portfolio), set];
      const rowKeys = (await sweep(places, [kind])) as string[];
      for (const page of partsOf(rowKeys, PAGE)) {
        const taken = (await sweep(places, [kind, ...(await wordsOf(portfolio, page)).flat()])) as string[];
        wrong += taken.length;
        for (const key of taken) note('wrong', key);
      }
    }
    return wrong;
  }

  async function sweepAllNames(portfolio: string, note: NoteRow): Promise<number> {
    const names = keys.names(portfolio);
    let wrong = 0;
    let after = '-';
    for (;;) {
      const entries = await connection.zrange(names, after, '+', 'BYLEX', 'LIMIT', '0', String(PAGE));
      if (entries.length === 0) return wrong;
      const words = await wordsOf(
        portfolio,
        entries.map((entry) => entry.slice(entry.lastIndexOf('\0') + 1)),
      );
      const args = entries.flatMap((entry, at) => [entry, ...(words[at] ?? [])]);
      const taken = (await sweepNames([names, keys.row(portfolio, '')], args)) as string[];
      wrong += taken.length;
      for (const key of taken) note('wrong', key);
      after = `(${entries.at(-1)}`;
    }
  }

  async function idSets(portfolio: string): Promise<string[]> {
    const rows = await connection.zcard(keys.names(portfolio));
    const sets: string[] = [];
    for (let level = 0; level === 0 || ROWS_OF_BUCKET * 4 ** (level - 1) < rows; level += 1) {
      for (let bucket = 0; bucket < 4 ** level; bucket += 1) sets.push(keys.ids(portfolio, level, bucket));
    }
    return sets;
  }

  async function columnSets(portfolio: string): Promise<string[]> {
    const kinds = await connection.smembers(keys.columns(portfolio));
    const ends = await Promise.all(
      ROW_STATES.map((state) => connection.zrange(keys.rowsInState(portfolio, state), '-1', '-1', 'WITHSCORES')),
    );
    const last = Math.max(0, ...ends.map(([, line]) => Number(line ?? 0)));
    return Array.from({ length: Math.floor(last / LINES_OF_COLUMN) + 1 }, (_none, column) =>
      kinds.map((kind) => {
        const [size = ''] = kind.split(' ', 1);
        return keys.column(portfolio, size, column, kind.slice(size.length + 1));
      }),
    ).flat();
  }

  return {
    /** Whether rows are put into these indexes at all. */
    isSearched,

    /**
     * Goes once over all rows of a portfolio, and over the indexes only where they have more than the rows do.
     *
     * @param note hears of each row of which something lacked, or of which an entry was wrong
     */
    async compareSearch(portfolio: string, note: NoteRow = () => {}): Promise<SearchDifference> {
      if (!isSearched) return { lacking: 0, wrong: 0 };
      // First, since what comes meanwhile is in both, or in the rows alone.
      const namesBefore = await connection.zcard(keys.names(portfolio));
      const idsBefore = await sizesOf(await idSets(portfolio));
      const all = { lacking: 0, ids: 0, addedIds: 0, addedNames: 0 };
      let rows = 0;
      for (const state of ROW_STATES) {
        for await (const page of pagesOf(lists, portfolio, state)) {
          rows += page.length;
          const rowKeys = page.map(({ key }) => key);
          for (const part of partsOf(rowKeys, PAGE)) add(all, await comparePage(portfolio, part, note));
        }
      }
      let wrong = 0;
      if (namesBefore + all.addedNames > rows) wrong += await sweepAllNames(portfolio, note);
      if (sum(idsBefore) + all.addedIds > all.ids) {
        wrong += await sweepSets(portfolio, 'id', await sizesOf(await idSets(portfolio)), note);
      }
      const columns = await sizesOf(await columnSets(portfolio));
      if (sum(columns) > rows) wrong += await sweepSets(portfolio, 'column', columns, note);
      return { lacking: all.lacking, wrong };
    },
  };
}

/** Rows of which something lacked; ids that they have; ids and names that were put in. */
type Compared = { lacking: number; ids: number; addedIds: number; addedNames: number };

function add(all: Compared, more: Compared): void {
  for (const name of ['lacking', 'ids', 'addedIds', 'addedNames'] as const) all[name] += more[name];
}

function sum(sizes: readonly { size: number }[]): number {
  return sizes.reduce((all, { size }) => all + size, 0);
}

function* partsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
