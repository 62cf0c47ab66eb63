import { createHash } from 'node:crypto';
import { makeLuaScript } from '../../lua-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { scanned } from '../schema/redis-reads.ts';
import { ROW_STATES } from '../schema/row.ts';
import { type RowId, rowNamed } from '../schema/schema.ts';
import { indexWords } from '../search/index-words.ts';
import { bucketsOf, columnsOf } from './portfolio-keys.ts';

/** Members of a set compared in one step: a millisecond or two of Redis' time. */
const PAGE = 100;
/** How many sets have their sizes read in one pipeline of Redis commands. */
const SIZES = 1_000;

/** Called with the row of each removed member; a row may come several times. */
type NoteKey = (key: string) => void;
type Member = { member: string | Buffer; row: RowId };

/** Removes members of index sets whose rows do not belong to the set, while other processes move rows. */
export function makeSweeps({ connection, keys, words }: LedgerPlace & { words: RowWords }) {
  const sweepLua = makeLuaScript(connection, new URL('../lua/sweep.lua', import.meta.url));

  async function sweep(set: string, members: readonly Member[], note: NoteKey, isSearch = false): Promise<void> {
    for (let from = 0; from < members.length; from += PAGE) {
      const page = members.slice(from, from + PAGE);
      const known = isSearch ? await words(page.map(({ row }) => row)) : [];
      const told = page.flatMap(({ member, row }, at) => [member, row.portfolio, row.key, ...(known[at] ?? ['', ''])]);
      const places = { account: keys.account, set };
      const taken = (await sweepLua(places, { isSearch: isSearch ? 1 : 0, members: told })) as string[];
      taken.forEach(note);
    }
  }

  async function sweepScanned(set: string, rowOf: (member: string) => RowId, note: NoteKey): Promise<void> {
    for await (const found of scanned((at) => connection.zscan(set, at, 'COUNT', PAGE))) {
      const members = found.filter((_, at) => at % 2 === 0).map((member) => ({ member, row: rowOf(member) }));
      await sweep(set, members, note);
    }
  }

  /** Number of members of these sets together, and the sets that have any. */
  async function sizeOf(sets: readonly string[]): Promise<{ size: number; filled: string[] }> {
    const all = { size: 0, filled: [] as string[] };
    for (let from = 0; from < sets.length; from += SIZES) {
      const page = sets.slice(from, from + SIZES);
      const step = connection.pipeline();
      for (const set of page) step.zcard(set);
      const answers = (await step.exec()) ?? [];
      const sizes = page.map((_, at) => Number(answers[at]?.[1] ?? 0));
      all.size += sizes.reduce((sum, size) => sum + size, 0);
      all.filled.push(...page.filter((_, at) => (sizes[at] ?? 0) > 0));
    }
    return all;
  }

  const setsOf = (find: typeof columnsOf, name: string): Promise<string[]> =>
    Array.fromAsync(find({ name, connection, keys }));

  async function sweepNames(portfolio: string, note: NoteKey): Promise<void> {
    const names = keys.names(portfolio);
    for (let after = '-'; ; ) {
      const entries = await connection.zrange(names, after, '+', 'BYLEX', 'LIMIT', '0', String(PAGE));
      if (entries.length === 0) return;
      const rowOf = (entry: string): RowId => ({ portfolio, key: entry.slice(entry.lastIndexOf('\0') + 1) });
      const members = entries.map((entry) => ({ member: entry, row: rowOf(entry) }));
      await sweep(names, members, note, true);
      after = `(${entries.at(-1)}`;
    }
  }

  async function sweepSets(portfolio: string, sets: readonly string[], skip: number, note: NoteKey): Promise<void> {
    for (const set of sets) {
      const entries = await connection.zrangeBuffer(set, '0', '-1');
      const rowOf = (entry: Buffer): RowId => ({ portfolio, key: entry.subarray(skip).toString() });
      const members = entries.map((entry) => ({ member: entry, row: rowOf(entry) }));
      await sweep(set, members, note, true);
    }
  }

  return {
    /** Removes entries without a row from a portfolio's indexes by state and cause. */
    async ofStates(portfolio: string, note: NoteKey): Promise<void> {
      const causes = await connection.hkeys(keys.causes(portfolio));
      const sets = [
        ...ROW_STATES.map((state) => keys.rowsInState(portfolio, state)),
        ...causes.map((cause) => keys.rowsOfCause(portfolio, cause)),
      ];
      for (const set of sets) await sweepScanned(set, (key) => ({ portfolio, key }), note);
    },

    /** Sweeps the list of held rows of all portfolios. */
    ofHeld: (note: NoteKey): Promise<void> => sweepScanned(keys.held, rowNamed, note),

    /** Number of entries in a portfolio's search indexes. */
    async sizes(portfolio: string): Promise<{ names: number; ids: number }> {
      const names = await connection.zcard(keys.names(portfolio));
      return { names, ids: (await sizeOf(await setsOf(bucketsOf, portfolio))).size };
    },

    /**
     * Removes entries without a row from a portfolio's search indexes. The indexes of names and of ids are swept if `names` and `ids` are
     * true. The other search indexes are swept if they have more entries than `rows`.
     */
    async ofSearch(
      portfolio: string,
      { rows, names, ids }: { rows: number; names: boolean; ids: boolean },
      note: NoteKey,
    ): Promise<void> {
      if (names) await sweepNames(portfolio, note);
      if (ids) await sweepSets(portfolio, (await sizeOf(await setsOf(bucketsOf, portfolio))).filled, ID_BYTES, note);
      const changed = await sizeOf([keys.changed(portfolio)]);
      if (changed.size > rows) await sweepSets(portfolio, changed.filled, 0, note);
      const columns = await sizeOf(await setsOf(columnsOf, portfolio));
      if (columns.size > rows) await sweepSets(portfolio, columns.filled, 0, note);
    },
  };
}

/** Length in bytes of an id's digest, which precedes the row's key in each entry of the index by ids (index-entries.lua). */
const ID_BYTES = 6;

/** For each row the SHA-1 of its request and its search words; '' and '' for a missing row. */
type RowWords = (rows: readonly RowId[]) => Promise<[digest: string, words: string][]>;

/** Reads the search words of rows with one pipeline. */
export function makeRowWords({ connection, keys }: LedgerPlace): RowWords {
  return async (rows) => {
    const step = connection.pipeline();
    for (const { portfolio, key } of rows) step.hget(keys.row(portfolio, key), 'request');
    const answers = (await step.exec()) ?? [];
    return rows.map((_row, at) => {
      const [error, request] = answers[at] ?? [];
      if (error) throw error;
      if (typeof request !== 'string') return ['', ''];
      return [createHash('sha1').update(request).digest('hex'), indexWords(JSON.parse(request))];
    });
  };
}
