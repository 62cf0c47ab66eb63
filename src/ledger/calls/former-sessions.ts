import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { scanned } from '../schema/redis-reads.ts';

/** About how many sessions are read at a time. */
const PAGE = 500;

/** Lists, once in an account, the hosted sessions that ended without a link under versions that had no list of them. */
export async function listFormerSessions(connection: RedisConnection, keys: Keys): Promise<void> {
  if ((await connection.hexists(keys.account, 'sessionsListed')) === 1) return;
  const list = async (key: string) => {
    const [state, row] = await connection.hmget(keys.call('session', key), 'state', 'row');
    if (row && (state === 'unknown' || state === 'free')) await connection.sadd(keys.sessionsFailed, `${row} ${key}`);
  };
  if ((await connection.exists(keys.sessionsAsked)) === 0) return;
  for await (const page of scanned((at) => connection.hscan(keys.sessionsAsked, at, 'COUNT', PAGE)))
    await Promise.all(page.flatMap((thing, at) => (at % 2 === 0 ? [list(`${thing}.${page[at + 1]}`)] : [])));
  await connection.hset(keys.account, 'sessionsListed', '1');
}
