import { createHash } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { FAULT_KINDS, type Keys, type LedgerPlace } from '../schema/keys.ts';
import { scanned } from '../schema/redis-reads.ts';
import { ROW_STATES } from '../schema/row.ts';
import { type RowId, rowNamed } from '../schema/schema.ts';
import { indexWords } from '../search/index-words.ts';
import { LINES_OF_COLUMN, ROWS_OF_BUCKET } from '../search/row-sources.ts';

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

/** The types of Redis keys that the ledger uses. */
type KeyType = 'hash' | 'zset' | 'set' | 'list';

/** A portfolio, and how to read its keys. */
type KeysOf = { name: string; connection: RedisConnection; keys: Keys };

type KeyKind = {
  /** The kind's name in `src/ledger/schema/keys.ts`. */
  kind: keyof Keys;
  type: KeyType;
  /** All possible keys of this kind; some may not exist. */
  find: (of: KeysOf) => Iterable<string> | AsyncIterable<string>;
};

/**
 * All keys that belong to one portfolio only, except its rows and their histories (`rows`, `story`), which the sets of `rowsInState` list.
 * A test searches Redis for keys that are missing in this list. A new kind of key must be added to it, or such keys stay in Redis when
 * their portfolio is archived.
 *
 * Plans expire by themselves. Calls, buyers, their requests and limits stay, since they prevent making things twice.
 */
export const PORTFOLIO_KEYS: readonly KeyKind[] = [
  { kind: 'portfolio', type: 'hash', find: ({ name, keys }) => [keys.portfolio(name)] },
  { kind: 'imports', type: 'zset', find: ({ name, keys }) => [keys.imports(name)] },
  { kind: 'allImports', type: 'hash', find: ({ name, keys }) => [keys.allImports(name)] },
  {
    kind: 'faultyLines',
    type: 'hash',
    find: ({ name, keys }) => FAULT_KINDS.map((kind) => keys.faultyLines(name, kind)),
  },
  { kind: 'keptRows', type: 'hash', find: ({ name, keys }) => [keys.keptRows(name)] },
  { kind: 'leftOut', type: 'hash', find: ({ name, keys }) => [keys.leftOut(name)] },
  { kind: 'firstRows', type: 'set', find: ({ name, keys }) => [keys.firstRows(name)] },
  { kind: 'sums', type: 'hash', find: ({ name, keys }) => [keys.sums(name, 'a'), keys.sums(name, 'b')] },
  { kind: 'causes', type: 'hash', find: ({ name, keys }) => [keys.causes(name)] },
  { kind: 'rowsOfCause', type: 'zset', find: rowsOfCauses },
  { kind: 'approvalsOf', type: 'zset', find: ({ name, keys }) => [keys.approvalsOf(name)] },
  { kind: 'approval', type: 'hash', find: (of) => ofApprovals(of, (id) => of.keys.approval(id)) },
  { kind: 'approvalRows', type: 'zset', find: (of) => ofApprovals(of, (id) => of.keys.approvalRows(of.name, id)) },
  { kind: 'rowsInState', type: 'zset', find: statesOf },
  { kind: 'names', type: 'zset', find: ({ name, keys }) => [keys.names(name)] },
  { kind: 'changed', type: 'zset', find: ({ name, keys }) => [keys.changed(name)] },
  { kind: 'columns', type: 'set', find: ({ name, keys }) => [keys.columns(name)] },
  { kind: 'statuses', type: 'set', find: ({ name, keys }) => [keys.statuses(name)] },
  { kind: 'column', type: 'zset', find: columnsOf },
  { kind: 'ids', type: 'zset', find: bucketsOf },
];

/** Keys read with one command: some milliseconds of Redis' time at most, since most keys are small. */
const GROUP = 64;

/** The keys of a portfolio in groups of one type. Some may not exist. */
export async function* portfolioKeys(of: KeysOf): AsyncGenerator<{ type: KeyType; keys: string[] }> {
  for (const { type, find } of PORTFOLIO_KEYS) {
    let group: string[] = [];
    for await (const key of find(of)) {
      group.push(key);
      if (group.length < GROUP) continue;
      yield { type, keys: group };
      group = [];
    }
    if (group.length > 0) yield { type, keys: group };
  }
}

function statesOf({ name, keys }: KeysOf): string[] {
  return ROW_STATES.map((state) => keys.rowsInState(name, state));
}

async function* rowsOfCauses({ name, connection, keys }: KeysOf): AsyncGenerator<string> {
  for (const id of await connection.hkeys(keys.causes(name))) yield keys.rowsOfCause(name, id);
}

async function* ofApprovals({ name, connection, keys }: KeysOf, keyOf: (id: string) => string): AsyncGenerator<string> {
  for (const id of await connection.zrange(keys.approvalsOf(name), '0', '-1')) yield keyOf(id);
}

/** The keys of the search columns that can contain rows of a portfolio: one for each size of amount, each status, and each 1,024 lines. */
export async function* columnsOf(of: KeysOf): AsyncGenerator<string> {
  const { name, connection, keys } = of;
  const lasts = await Promise.all(statesOf(of).map((set) => connection.zrange(set, '-1', '-1', 'WITHSCORES')));
  const last = Math.floor(Math.max(0, ...lasts.map(([, line]) => Number(line ?? 0))) / LINES_OF_COLUMN);
  for (const kind of await connection.smembers(keys.columns(name))) {
    const space = kind.indexOf(' ');
    const [size, status] = [kind.slice(0, space), kind.slice(space + 1)];
    for (let column = 0; column <= last; column += 1) yield keys.column(name, size, column, status);
  }
}

/** The keys of a portfolio's search index by ids: 4^level buckets at each level at which entries may have been added (index-entries.lua). */
export async function* bucketsOf({ name, connection, keys }: KeysOf): AsyncGenerator<string> {
  const rows = await connection.zcard(keys.names(name));
  for (let level = 0; level === 0 || ROWS_OF_BUCKET * 4 ** (level - 1) < rows; level += 1) {
    for (let bucket = 0; bucket < 4 ** level; bucket += 1) yield keys.ids(name, level, bucket);
  }
}
