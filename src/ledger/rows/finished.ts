import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';

/**
 * Tells of portfolios that were finished since: each to one process of the fleet, once. One that goes on later, since rows
 * of it are sent again, is told of again when it is finished again.
 *
 * @param sinceMs of the server's clock; what was finished before that is nobody's news
 */
export function makeFinished({
  connection,
  keys,
  processId,
  sinceMs,
}: {
  connection: RedisConnection;
  keys: Keys;
  processId: string;
  sinceMs: number;
}) {
  const tell = makeLuaScript(connection, new URL('../lua/tell-finished.lua', import.meta.url));
  /** What this process has been told: the script would tell it again, since its reply may have been lost. */
  const told = new Map<string, string>();

  return {
    /** Names of those that are finished, and that no process was told of. */
    async news(): Promise<string[]> {
      const names = await connection.zrange(keys.portfolios, '0', '-1');
      const step = connection.pipeline();
      for (const name of names) step.hmget(keys.portfolio(name), 'finished', 'told');
      const answers = (await step.exec()) ?? [];
      const found: string[] = [];
      for (const [place, name] of names.entries()) {
        const [finished, known] = (answers[place]?.[1] ?? []) as (string | null)[];
        if (!finished || Number(finished) < sinceMs || told.get(name) === finished) continue;
        if (known?.startsWith(`${finished} `) && known !== `${finished} ${processId}`) continue;
        const mine = await tell({ portfolio: keys.portfolio(name) }, { finished, process: processId });
        if (mine !== 1) continue;
        told.set(name, finished);
        found.push(name);
      }
      return found;
    },
  };
}
