import { makeLuaBytesScript, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import { ROW_STATES } from '../row.ts';
import type { ArchiveState } from './archive-state.ts';

export type Restoring = ReturnType<typeof makeRestoring>;

/**
 * The way of a portfolio back into Redis, step by step. Each step may be done again, and does nothing where the portfolio is not on
 * its way back by the same run: who was overtaken by another would begin keys anew that the other has written to their end.
 */
export function makeRestoring({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const urlOf = (name: string) => new URL(`../lua/${name}.lua`, import.meta.url);
  const begin = makeLuaScript(connection, urlOf('begin-restore'));
  const bytes = (name: string) => makeLuaBytesScript(connection, urlOf(name));
  const [rows, rest, end] = [bytes('restore-rows'), bytes('restore-keys'), bytes('end-restore')];

  return {
    /** It comes back from now on, by this run and no other. Answers whether it does: not where it is not archived under this id. */
    async begin(name: string, state: ArchiveState, run: string): Promise<boolean> {
      const restoring: ArchiveState = { ...state, is: 'restoring', sinceMs: Date.now() };
      return (await begin([keys.portfolio(name)], [state.id, JSON.stringify(restoring), run])) === 1;
    },

    /** Puts the rows back that these lines are. Answers whether it did: not where it does not come back by this run. */
    async putRows(name: string, run: string, lines: readonly Buffer[]): Promise<boolean> {
      return Number(await rows([keys.portfolio(name), keys.row(name, '')], [run, ...lines])) >= 0;
    },

    /** The same of lines of its other keys, less those of its hash. */
    async putKeys(name: string, run: string, lines: readonly Buffer[]): Promise<boolean> {
      return Number(await rest([keys.portfolio(name), keys.approval('')], [run, ...lines])) === 1;
    },

    /**
     * It is one of the account's portfolios again.
     *
     * @param lines those of its hash
     * @returns whether it is; `rows` where others are there than the archive has
     */
    async end(
      name: string,
      {
        run,
        startedMs,
        rows: count,
        lines,
      }: Pick<ArchiveState, 'startedMs'> & { run: string; rows: number; lines: readonly Buffer[] },
    ): Promise<boolean | 'rows'> {
      const lists = [keys.portfolio(name), keys.portfolios, keys.archives, keys.approval('')];
      const places = [...lists, ...ROW_STATES.map((state) => keys.rowsInState(name, state))];
      const answer = Number(await end(places, [run, name, startedMs, count, ...lines]));
      return answer === 0 ? 'rows' : answer === 1;
    },
  };
}
