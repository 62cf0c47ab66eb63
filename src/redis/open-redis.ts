import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { ConnectionRole } from './connect.ts';
import { makeConnections } from './connections.ts';
import { checkGivenRedis } from './given-redis.ts';
import { openOwnRedis } from './own/open.ts';
import { describeRedis, parseRedisUrl } from './redis-url.ts';

export type RedisServer = {
  /** Makes a connection for immediate use; it reconnects as long as the process lives. */
  connect(role: ConnectionRole): RedisConnection;
  /** For people: the address without user and password, or the folder of our own Redis. */
  where: string;
  /** Closes the connections, and then our own Redis if nobody else uses it. Leaves no open handle. */
  close(): Promise<void>;
};

/**
 * Opens the Redis at `url` (see {@link parseRedisUrl}), or without one the Redis of the data folder, which is started if needed.
 *
 * @throws LimitlineError `SETTINGS` for an invalid address, `REDIS` if no Redis answers or can serve (after about 5 s), `FILE` if the data
 *   folder cannot be used
 */
export async function openRedis({
  url,
  dataDir,
  log,
}: {
  url?: string | undefined;
  dataDir: string;
  log: Log;
}): Promise<RedisServer> {
  return url === undefined ? openOwn(dataDir, log) : openGiven(url, log);
}

async function openGiven(url: string, log: Log): Promise<RedisServer> {
  const target = parseRedisUrl(url);
  const where = describeRedis(target);
  const connections = makeConnections({ target, where, log });
  try {
    await checkGivenRedis({ connections, where, log });
  } catch (error) {
    await connections.close();
    throw error;
  }
  return { ...connections, where };
}

async function openOwn(dataDir: string, log: Log): Promise<RedisServer> {
  const own = await openOwnRedis({ dataDir, log });
  const { where } = own;
  const connections = makeConnections({ target: { kind: 'socket', path: own.socketPath }, where, log });
  return {
    ...connections,
    where,
    async close() {
      await connections.close();
      await own.close();
    },
  };
}
