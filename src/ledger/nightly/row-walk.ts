import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import type { RowState } from '../row.ts';
import { type StoredRow, storedRows, WALKED_FIELDS } from './stored-row.ts';

/**
 * In this order a row that gets on while it is walked comes once or twice, and never not at all: what is open first, then what
 * waits for people, then what has ended.
 */
export const WALKED_STATES = [
  'queued',
  'company',
  'documents',
  'limit',
  'awaiting',
  'held',
  'refused',
  'cancelled',
  'skipped',
  'done',
] as const satisfies readonly RowState[];

/** Rows at a time: one or two milliseconds of Redis' time. */
const PAGE = 250;

/** How a walk reads: `ask` is called for each page, and may let others go first. */
type Walk = { portfolio: string; state: RowState; ask?: <Answer>(command: () => Promise<Answer>) => Promise<Answer> };

export type RowWalks = ReturnType<typeof makeRowWalk>;

/** Reads rows with all that is kept in them, each as it is at one moment. */
export function makeRowWalk({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const walkRows = makeLuaScript(connection, new URL('../lua/walk-rows.lua', import.meta.url));

  /**
   * The rows of a state, page by page, in the order of their lines. Each row that is there from the beginning to the end comes once,
   * whoever moves others meanwhile. The next page is read while this one is looked at.
   */
  return async function* walk({ portfolio, state, ask = (command) => command() }: Walk): AsyncGenerator<StoredRow[]> {
    const places = [keys.rowsInState(portfolio, state), keys.row(portfolio, '')];
    const read = (line: number, count: number) => {
      const page = ask(() => walkRows(places, [line, count, ...WALKED_FIELDS])) as Promise<string[]>;
      // It may fail while nobody waits for it yet.
      page.catch(() => {});
      return page;
    };
    let count = PAGE;
    let line = 0;
    let seen = new Set<string>();
    for (let next: Promise<string[]> | undefined = read(line, count); next; ) {
      const found = storedRows(portfolio, await next);
      next = undefined;
      const last = found.at(-1);
      const fresh = found.filter(({ row, at }) => !(at === line && seen.has(row.key)));
      if (last && found.length === count) {
        // Rows of many imports may share one line; a page of nothing else needs a longer one behind it.
        count = last.at === line ? count * 2 : PAGE;
        const sameLine = found.filter(({ at }) => at === last.at).map(({ row }) => row.key);
        seen = new Set([...(last.at === line ? seen : []), ...sameLine]);
        line = last.at;
        next = read(line, count);
      }
      if (fresh.length > 0) yield fresh;
    }
  };
}
