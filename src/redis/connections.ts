import { LimitlineError, messageOf } from '../errors.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { type ConnectionRole, connectTo, type RedisTarget } from './connect.ts';

export type Connections = ReturnType<typeof makeConnections>;

/**
 * Makes connections to one Redis that reconnect for ever, and closes them. An outage is logged once, however many connections and retries
 * there are, and never thrown.
 *
 * @param where name of the Redis, for people
 */
export function makeConnections({ target, where, log }: { target: RedisTarget; where: string; log: Log }) {
  const open = new Set<RedisConnection>();
  let closing = false;
  const outages = makeOutages({ where, log, isClosing: () => closing });
  const retryStrategy = (attempt: number) => (closing ? null : retryDelayMs(attempt));

  return {
    /** @throws LimitlineError `STOPPED` after `close()` */
    connect(role: ConnectionRole): RedisConnection {
      if (closing) throw new LimitlineError('STOPPED', `The connections to ${where} are closed; open new ones.`);
      const connection = connectTo(target, role, retryStrategy);
      open.add(connection);
      connection.once('end', () => open.delete(connection));
      outages.watch(connection);
      return connection;
    },

    /** Closes every connection, after waiting up to 2 s for pending replies. */
    async close(): Promise<void> {
      closing = true;
      await Promise.all([...open].map(end));
    },
  };
}

/** How long pending commands are awaited when the process ends. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * The wait in ms before an attempt to reconnect: short at first, since our own Redis restarts at once; then about a second, randomized
 * among processes.
 */
function retryDelayMs(attempt: number): number {
  return Math.min(25 * 2 ** Math.min(attempt, 10), 1_000) * (0.75 + Math.random() / 2);
}

async function end(connection: RedisConnection): Promise<void> {
  if (connection.status === 'end') return;
  const ended = new Promise<void>((resolve) => connection.once('end', () => resolve()));
  // QUIT comes after the commands sent before. Without a connection the next failed attempt ends it.
  const quit = () => void connection.quit().catch(() => {});
  if (connection.status === 'ready') quit();
  else connection.once('ready', quit);
  await inTime(ended, CLOSE_TIMEOUT_MS, () => connection.disconnect());
}

/**
 * Logs once when the connections to a Redis begin to fail, and once when all work again; ioredis reports every retry of every connection,
 * and throws without a listener. Nothing is logged before the first connection works, since its caller gets the error, nor while the
 * connections are being closed.
 */
function makeOutages({ where, log, isClosing }: { where: string; log: Log; isClosing: () => boolean }) {
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
