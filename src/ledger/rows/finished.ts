import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
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
  const change = makeGatedScript(connection, 'change-fields');
  /** What this process has been told: it would be told again, since a reply may have been lost. */
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
        // For the first that writes it, as long as the portfolio stands as it was read.
        const asRead = ['IS', 'archive', '', 'IS', 'finished', finished, 'IS', 'told', known ?? ''];
        const changes = [...asRead, 'HSET', 'told', `${finished} ${processId}`];
        if ((await change({ hash: keys.portfolio(name) }, { changes })) === null) continue;
        told.set(name, finished);
        found.push(name);
      }
      return found;
    },
  };
}
