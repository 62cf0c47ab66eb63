import type { EventEmitter } from 'node:events';
import { isIP } from 'node:net';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { LimitlineError, messageOf } from '../errors.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { Credentials, RedisAddress } from './redis-url.ts';
import { SettlingCluster } from './settling-cluster.ts';

/**
 * The purpose of a connection.
 *
 * - `ledger`: many small commands for many rows; sent together, with a timeout of {@link COMMAND_TIMEOUT_MS}.
 * - `claims`: sets of commands that end with a WAIT for replicas. WAIT only counts if the whole set reached one server in one go, so
 *   nothing is resent automatically. The same timeout.
 * - `queue`: adds jobs and reads them; the same timeout. Nothing that blocks.
 * - `worker`: BullMQ's workers and event readers, which block and must outlast any outage; no timeout.
 */
export type ConnectionRole = 'ledger' | 'claims' | 'queue' | 'worker';

/** A Redis to connect to: by address, or the Unix socket of our own. */
type RedisTarget = RedisAddress | { kind: 'socket'; path: string };

/** The wait before reconnecting, in ms; null for never. */
type RetryStrategy = (attempt: number) => number | null;

/**
 * Timeout of commands, so that a dead Redis is noticed in seconds. Long enough for our own Redis to restart after a crash: measured 0.1 s,
 * and 0.5 s more for each 100 MB of data.
 */
export const COMMAND_TIMEOUT_MS = 5_000;

/**
 * Makes one connection, which connects at once.
 *
 * A command that has timed out is not sent later: nobody waits for it, and a late claim would lock its call. One that was already sent may
 * have been executed.
 */
export function connectTo(target: RedisTarget, role: ConnectionRole, retryStrategy: RetryStrategy): RedisConnection {
  const connection =
    target.kind === 'cluster' ? connectCluster(target, role, retryStrategy) : connectOne(target, role, retryStrategy);
  if (role === 'worker') {
    if (connection instanceof Redis) writeTogether(connection);
    return connection;
  }
  if (connection instanceof Cluster) limitTime(connection);
  else forgetGivenUp(connection);
  return connection;
}

/** Time limit for connecting, in ms. If a host drops packets, a second attempt must still fit into {@link COMMAND_TIMEOUT_MS}. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Wait while Redis loads its data. Redis' own estimate is in whole seconds, too long for small data. */
const LOADING_RETRY_MS = 100;

/** A worker's connection counts as dead after this silence, in ms. BullMQ's blocking reads take at most a third of it. */
const WORKER_SILENCE_MS = 30_000;

/** Answers to ioredis: reconnect, or reconnect and resend the command. */
const [RECONNECT, RECONNECT_AND_RESEND] = [1, 2] as const;

type ClusterTarget = Extract<RedisTarget, { kind: 'cluster' }>;
type OneTarget = Exclude<RedisTarget, ClusterTarget>;

function connectCluster(target: ClusterTarget, role: ConnectionRole, retryStrategy: RetryStrategy): Cluster {
  return new SettlingCluster(target.endpoints, {
    clusterRetryStrategy: retryStrategy,
    enableAutoPipelining: role === 'ledger',
    // Certificates name hosts, so names must not be resolved before they are checked.
    ...(target.tls && { dnsLookup: (name, callback) => callback(null, name) }),
    redisOptions: { ...optionsFor(role), ...credentialsOf(target), ...(target.tls && { tls: {} }) },
  });
}

function connectOne(target: OneTarget, role: ConnectionRole, retryStrategy: RetryStrategy): Redis {
  const redis = new Redis({
    ...optionsFor(role),
    ...placeOf(target),
    enableAutoPipelining: role === 'ledger',
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
    // After a failover the old primary answers READONLY to commands that it did not execute: send them to the new one.
    reconnectOnError: (error) => {
      if (!error.message.startsWith('READONLY')) return false;
      (redis as EventEmitter).emit(REFUSED, error);
      return role === 'claims' ? RECONNECT : RECONNECT_AND_RESEND;
    },
  });
  redis.on('connect', () => listenWithoutLimit(redis));
  return redis;
}

/** Event of a connection whose server became a replica, which takes no writes. */
const REFUSED = 'refused';

/** ioredis adds a listener to the socket for each command that a replica refuses. From the eleventh on Node would warn of each, in the log. */
function listenWithoutLimit(redis: Redis): void {
  const { stream } = redis as unknown as { stream?: EventEmitter };
  stream?.setMaxListeners(0);
}

function optionsFor(role: ConnectionRole) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: `limitline-${role}`,
    // Commands end by their timeout, and not by a number of retries.
    maxRetriesPerRequest: null,
    maxLoadingRetryTime: LOADING_RETRY_MS,
    ...(role === 'claims' && { autoResendUnfulfilledCommands: false }),
    ...(role === 'worker'
      ? { socketTimeout: WORKER_SILENCE_MS }
      : { commandTimeout: COMMAND_TIMEOUT_MS, socketTimeout: COMMAND_TIMEOUT_MS }),
  };
}

/** Where to connect. Without `replyMapping`, whose type in ioredis' constructor is stricter than in its options. */
function placeOf(target: OneTarget): Omit<RedisOptions, 'replyMapping'> {
  switch (target.kind) {
    case 'socket':
      return { path: target.path };
    case 'single': {
      const { host, port } = target.endpoint;
      const tls = isIP(host) ? {} : { servername: host };
      return { host, port, db: target.db, ...credentialsOf(target), ...(target.tls && { tls }) };
    }
    case 'sentinel':
      return {
        sentinels: target.endpoints,
        name: target.master,
        db: target.db,
        sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
        ...credentialsOf(target),
        // Sentinels often have the same password, and those without one accept any; they seldom have users.
        ...(target.password && !target.username && { sentinelPassword: target.password }),
      };
  }
}

function credentialsOf({ username, password }: Credentials): Credentials {
  return { ...(username && { username }), ...(password && { password }) };
}

/**
 * Sends the commands of one turn of the event loop in one write, so that they reach Redis together. Otherwise each of them would cost a
 * write, a wake-up of Redis and a sync of its append-only file.
 */
function writeTogether(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let corked: { uncork: () => void } | undefined;
  redis.sendCommand = (command, stream) => {
    const { stream: socket } = redis as unknown as { stream?: { cork: () => void; uncork: () => void } };
    if (!corked && socket) {
      corked = socket;
      socket.cork();
      setImmediate(() => {
        corked?.uncork();
        corked = undefined;
      });
    }
    return send(command, stream);
  };
}

/** Drops commands that timed out while they waited for a connection; ioredis would send them. */
function forgetGivenUp(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => (command.isSettled ? command.promise : send(command, stream));
}

/** Applies the timeout to commands that have no node yet; ioredis would let them wait for ever. */
function limitTime(cluster: Cluster): void {
  const send = cluster.sendCommand.bind(cluster);
  cluster.sendCommand = (command, stream, node) => {
    if (command.isSettled) return command.promise;
    command.setTimeout(COMMAND_TIMEOUT_MS);
    return send(command, stream, node);
  };
  cluster.on('+node', forgetGivenUp);
}

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
  const retryStrategy = (attempt: number) => (closing ? null : retryDelayMs(attempt + outages.refusedAttempts()));

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
 * A replica is reached at once each time, and refuses again. So after each 100 ms of refusals one more attempt counts as failed, up to this
 * many: a failover of some milliseconds is over with the first, and a replica is asked once a second.
 */
const REFUSED_ATTEMPTS = { most: 4, eachMs: 100 };

/** A Redis that has refused no write for so long, in ms, is no replica any more. */
const REFUSES_MS = 2_000;

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
  const [down, waiting] = [new Set<RedisConnection>(), new Set<RedisConnection>()];
  let reached = false;
  let [firstRefusedMs, refusedMs] = [0, Number.NEGATIVE_INFINITY];
  const isRefused = () => performance.now() - refusedMs < REFUSES_MS;

  const lost = (connection: RedisConnection, reason: string) => {
    if (!reached || isClosing() || connection.status === 'end') return;
    if (down.size === 0) log.warn({ redis: where, reason }, 'the connection to Redis is lost; trying until it is back');
    down.add(connection);
  };
  const restored = (connection: RedisConnection) => {
    reached = true;
    if (connection.status !== 'ready') return;
    if (down.has(connection) && isRefused()) return lookLater(connection);
    if (down.delete(connection) && down.size === 0) log.info({ redis: where }, 'Redis is back');
  };

  const lookLater = (connection: RedisConnection) => {
    if (waiting.has(connection)) return;
    waiting.add(connection);
    setTimeout(() => {
      waiting.delete(connection);
      restored(connection);
    }, REFUSES_MS).unref();
  };

  return {
    /** How many failed attempts the refusals of writes count for. */
    refusedAttempts(): number {
      const { most, eachMs } = REFUSED_ATTEMPTS;
      return isRefused() ? Math.min(Math.floor((performance.now() - firstRefusedMs) / eachMs), most) : 0;
    },

    watch(connection: RedisConnection): void {
      (connection as EventEmitter).on(REFUSED, (error) => {
        const nowMs = performance.now();
        if (!isRefused()) firstRefusedMs = nowMs;
        refusedMs = nowMs;
        lost(connection, messageOf(error));
        // BullMQ's copies of the connection report here, too. Then it stays ready itself, and has no such event.
        lookLater(connection);
      });
      connection.on('error', (error) => lost(connection, messageOf(error)));
      connection.on('reconnecting', () => lost(connection, 'closed by the other side'));
      connection.on('ready', () => restored(connection));
      connection.on('end', () => down.delete(connection));
    },
  };
}
