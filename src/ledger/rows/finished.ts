import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';

/**
 * Finds portfolios that were finished. Each is found by one process of the fleet only, so that it is logged once. A portfolio that goes on
 * later, since rows are sent again, is found again when it is finished again.
 *
 * @param sinceMs by the server's clock; portfolios finished before are ignored
 */
export function makeFinished(given: { connection: RedisConnection; keys: Keys; processId: string; sinceMs: number }) {
  const { connection, keys, processId, sinceMs } = given;
  const change = makeGatedScript(connection, 'general#change-fields');
  /**
   * When each portfolio was finished that `news` has answered, by its name. Redis alone cannot tell: a reply may be lost, so it gives a
   * finished portfolio to the same process again.
   */
  const told = new Map<string, string>();

  return {
    /** Names of finished portfolios that no process has got yet. */
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
        // The first process to write the field `told` gets the portfolio, if it is unchanged since it was read.
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
