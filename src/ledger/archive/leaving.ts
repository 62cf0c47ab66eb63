import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import { OPEN_STATES, ROW_STATES } from '../row.ts';
import type { ArchiveState } from './archive-state.ts';

export type Leaving = ReturnType<typeof makeLeaving>;

/** Why a portfolio may not be archived now, and how many rows are why. */
export type NotArchived = {
  why: 'gone' | 'importing' | 'open' | 'awaiting' | 'held' | 'supplier' | 'interrupted' | 'unfinished';
  rows: number;
};

/**
 * That it was begun, and the archive that a process which died had begun before (`before`); or where it is on its way already
 * (`is`); or why not.
 */
export type BegunArchive = { begun: true; before?: ArchiveState } | { is: ArchiveState } | NotArchived;

/** Rows that one command takes out: two milliseconds of Redis' time. */
const ROWS = 100;

/**
 * The fields of a portfolio's hash that stay when it is archived, beside `archive`: by which it is there, when that was, and whose
 * it is.
 */
export const TOMBSTONE_FIELDS = ['started', 'finished', 'owner'] as const;

/**
 * The way of a portfolio out of Redis, step by step. Each step may be done again, and does nothing where the portfolio is not on
 * its way under the same id: whoever was overtaken by another does no harm.
 */
export function makeLeaving({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [begin, drop, leave] = [script('begin-archive'), script('drop-archive'), script('leave-archive')];
  const [takeRows, takeKeys, end] = [script('take-out-rows'), script('take-out-keys'), script('end-archive')];

  return {
    /** From now on nothing changes it, if it may be archived at all. Without a state it is only asked whether it may. */
    async begin(name: string, state?: ArchiveState): Promise<BegunArchive> {
      const inState = (of: readonly string[]) => of.map((each) => keys.rowsInState(name, each));
      const places = [keys.portfolio(name), keys.imports(name), ...inState(['held', 'awaiting', ...OPEN_STATES])];
      const [answer, text = ''] = (await begin(places, [state ? JSON.stringify(state) : ''])) as [string, string?];
      if (answer === 'begun') return text === '' ? { begun: true } : { begun: true, before: JSON.parse(text) };
      if (answer === 'is') return { is: JSON.parse(text) };
      return { why: answer as NotArchived['why'], rows: Number(text) };
    },

    /** It is like others again. Answers whether it is: not where its rows leave by now, or another archives it. */
    async drop(name: string, id: string): Promise<boolean> {
      return (await drop([keys.portfolio(name)], [id])) === 1;
    },

    /** Its files are there, read back and compared: it leaves. Answers whether it does: not where another archives it by now. */
    async leave(name: string, state: ArchiveState): Promise<boolean> {
      const places = [keys.portfolio(name), keys.portfolios, keys.archives];
      return (await leave(places, [state.id, JSON.stringify(state), name, state.sinceMs])) === 1;
    },

    /** Takes all its rows out, some at a time. Yields how many; nothing where it leaves no longer under this id, as the last. */
    async *takeOutRows(name: string, id: string): AsyncGenerator<number | undefined> {
      for (const state of ROW_STATES) {
        const places = [keys.portfolio(name), keys.rowsInState(name, state), keys.row(name, '')];
        for (let taken = ROWS; taken === ROWS; ) {
          taken = Number(await takeRows(places, [id, ROWS]));
          if (taken > 0) yield taken;
          if (taken < 0) return yield undefined;
        }
      }
    },

    /** Takes keys out that its archive names so. Answers whether they left: not where it leaves no longer under this id. */
    async takeOutKeys(name: string, id: string, names: readonly string[]): Promise<boolean> {
      return (await takeKeys([keys.portfolio(name), keys.approval('')], [id, ...names])) === 1;
    },

    /** All of it has left: it is archived. Answers whether it is. */
    async end(name: string, state: ArchiveState): Promise<boolean> {
      const rows = ROW_STATES.map((each) => keys.rowsInState(name, each));
      const args = [state.id, JSON.stringify(state), name, state.sinceMs, ...TOMBSTONE_FIELDS];
      return (await end([keys.portfolio(name), keys.archives, ...rows], args)) === 1;
    },
  };
}
