import { isIP } from 'node:net';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisConnection } from '../lua-script.ts';
import type { Credentials, RedisAddress } from './redis-url.ts';

/**
 * What a connection is for.
 *
 * - `ledger`: many small commands of many rows at once; sent together, given up after {@link COMMAND_TIMEOUT_MS}.
 * - `claims`: sets of commands that end with a WAIT for replicas, which only counts where all of a set reached one server
 *   in one go; so nothing is sent again by itself. Given up after the same time.
 * - `queue`: adds jobs and asks about them; given up after the same time. Nothing that blocks.
 * - `worker`: BullMQ's workers and event readers, which block and must outlast any outage; never given up.
 */
export type ConnectionRole = 'ledger' | 'claims' | 'queue' | 'worker';

/** A Redis to connect to: a given one, or the Unix socket of our own. */
export type RedisTarget = RedisAddress | { kind: 'socket'; path: string };

/** When to try again after a lost connection, in milliseconds; null for not at all. */
type RetryStrategy = (attempt: number) => number | null;

/**
 * A dead Redis is a fault in seconds. Long enough for our own to be started again after a crash: measured 0.1 s, and
 * 0.5 s more for each 100 MB of data.
 */
export const COMMAND_TIMEOUT_MS = 5_000;

/**
 * One connection, which begins to connect at once.
 *
 * A command that was given up is not sent afterwards: nobody waits for it any more, and a late claim would lock what
 * it claims. One that was already on its way may have been done.
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

/** A host that swallows packets must leave room for a second try within {@link COMMAND_TIMEOUT_MS}. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Redis guesses how long it will still read its data, in whole seconds; for small data that is mostly waiting. */
const LOADING_RETRY_MS = 100;

/** BullMQ's blocking reads last 10 s at most; a worker's connection that is silent for three times that is dead. */
const WORKER_SILENCE_MS = 30_000;

/** What ioredis understands as "reconnect", and as "and send this command again". */
const RECONNECT = 1;
const RECONNECT_AND_RESEND = 2;

type ClusterTarget = Extract<RedisTarget, { kind: 'cluster' }>;
type OneTarget = Exclude<RedisTarget, ClusterTarget>;

function connectCluster(target: ClusterTarget, role: ConnectionRole, retryStrategy: RetryStrategy): Cluster {
  return new Cluster(target.endpoints, {
    clusterRetryStrategy: retryStrategy,
    enableAutoPipelining: role === 'ledger',
    // Certificates are for names, so these must not be replaced by numbers before they are checked.
    ...(target.tls && { dnsLookup: (name, callback) => callback(null, name) }),
    redisOptions: { ...optionsFor(role), ...credentialsOf(target), ...(target.tls && { tls: {} }) },
  });
}

function connectOne(target: OneTarget, role: ConnectionRole, retryStrategy: RetryStrategy): Redis {
  return new Redis({
    ...optionsFor(role),
    ...placeOf(target),
    enableAutoPipelining: role === 'ledger',
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
    // After a fail-over the old primary answers READONLY to what it has not done: go to the new one with it.
    reconnectOnError: (error) => {
      if (!error.message.startsWith('READONLY')) return false;
      return role === 'claims' ? RECONNECT : RECONNECT_AND_RESEND;
    },
  });
}

function optionsFor(role: ConnectionRole) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: `limitline-${role}`,
    // Time limits say when a command is given up, never a number of retries.
    maxRetriesPerRequest: null,
    maxLoadingRetryTime: LOADING_RETRY_MS,
    ...(role === 'claims' && { autoResendUnfulfilledCommands: false }),
    ...(role === 'worker'
      ? { socketTimeout: WORKER_SILENCE_MS }
      : { commandTimeout: COMMAND_TIMEOUT_MS, socketTimeout: COMMAND_TIMEOUT_MS }),
  };
}

/** Without `replyMapping`, which ioredis types more strictly in its constructor than in its own options. */
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
        // Sentinels are often given the same password, and those without one take any; they seldom know users.
        ...(target.password && !target.username && { sentinelPassword: target.password }),
      };
  }
}

function credentialsOf({ username, password }: Credentials): Credentials {
  return { ...(username && { username }), ...(password && { password }) };
}

/**
 * What is sent in one turn of the event loop leaves in one write, and reaches Redis together: rows that end together would else cost a
 * write, a wake-up and a sync of its file each.
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

/** ioredis sends what waited for a connection even when its time was over. */
function forgetGivenUp(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => (command.isSettled ? command.promise : send(command, stream));
}

/** ioredis times a cluster's commands only once a node has them, so that without any node they would wait for ever. */
function limitTime(cluster: Cluster): void {
  const send = cluster.sendCommand.bind(cluster);
  cluster.sendCommand = (command, stream, node) => {
    if (command.isSettled) return command.promise;
    command.setTimeout(COMMAND_TIMEOUT_MS);
    return send(command, stream, node);
  };
  cluster.on('+node', forgetGivenUp);
}
