import type { RedisConnection } from '../../lua-script.ts';
import { FAULT_KINDS, type Keys } from '../schema/keys.ts';
import { ROW_STATES } from '../schema/row.ts';
import { LINES_OF_COLUMN, ROWS_OF_BUCKET } from '../search/row-sources.ts';

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
