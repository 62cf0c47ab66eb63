import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';

/**
 * Says once when the connections to a Redis begin to fail, and once when all of them work again. ioredis reports every
 * retry of every connection, and throws where nobody listens. Until the first of them works, whoever started them is
 * told, and nothing is said here; nor once they are being closed.
 */
export function makeOutages({ where, log, isClosing }: { where: string; log: Log; isClosing: () => boolean }) {
  const down = new Set<RedisConnection>();
  let reached = false;

  const lost = (connection: RedisConnection, reason: string) => {
    if (!reached || isClosing() || connection.status === 'end') return;
    if (down.size === 0) log.warn({ redis: where, reason }, 'the connection to Redis is lost; trying until it is back');
    down.add(connection);
  };
  const restored = (connection: RedisConnection) => {
    reached = true;
    if (down.delete(connection) && down.size === 0) log.info({ redis: where }, 'Redis is back');
  };

  return {
    watch(connection: RedisConnection): void {
      connection.on('error', (error) => lost(connection, messageOf(error)));
      connection.on('reconnecting', () => lost(connection, 'closed by the other side'));
      connection.on('ready', () => restored(connection));
      connection.on('end', () => down.delete(connection));
    },
  };
}
