import { isIP } from 'node:net';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisConnection } from '../lua-script.ts';
import type { Credentials, RedisAddress } from './redis-url.ts';

/**
 * What a connection is for.
 *
 * - `ledger`: many small commands for many rows at once; sent together. A command is given up after {@link COMMAND_TIMEOUT_MS}.
 * - `claims`: groups of commands that end with a WAIT for replicas. WAIT only counts if the whole group reached one server at once, so no
 *   command is resent automatically. A command is given up after the same time.
 * - `queue`: adds jobs and asks about them; nothing that blocks. A command is given up after the same time.
 * - `worker`: BullMQ's workers and event readers, which block and must outlast any outage. No command is given up.
 */
export type ConnectionRole = 'ledger' | 'claims' | 'queue' | 'worker';

/** The Redis to connect to: a given address, or the Unix socket of Limitline's own Redis. */
export type RedisTarget = RedisAddress | { kind: 'socket'; path: string };

/** How many milliseconds to wait before the next attempt to connect; null to stop trying. */
type RetryStrategy = (attempt: number) => number | null;

/**
 * A dead Redis is reported within seconds. This leaves Limitline's own Redis time to start again after a crash: 0.1 s as measured, and 0.5
 * s more for each 100 MB of data.
 */
export const COMMAND_TIMEOUT_MS = 5_000;

/**
 * Opens one connection, which begins to connect at once.
 *
 * A command that was given up is not sent later: nobody waits for it any more, and a late claim would lock its row. If the command had
 * already left, Redis may have done it.
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

/** If a host drops packets, this leaves room for a second attempt within {@link COMMAND_TIMEOUT_MS}. */
const CONNECT_TIMEOUT_MS = 2_000;

/** While Redis loads its data, it estimates the remaining time in whole seconds. With little data that is mostly too long. */
const LOADING_RETRY_MS = 100;

/** BullMQ's blocking reads last at most 10 s. A worker's connection that is silent for three times as long is dead. */
const WORKER_SILENCE_MS = 30_000;

/** ioredis reads 1 as "reconnect", and 2 as "reconnect and send this command again". */
const RECONNECT = 1;
const RECONNECT_AND_RESEND = 2;

type ClusterTarget = Extract<RedisTarget, { kind: 'cluster' }>;
type OneTarget = Exclude<RedisTarget, ClusterTarget>;

function connectCluster(target: ClusterTarget, role: ConnectionRole, retryStrategy: RetryStrategy): Cluster {
  return new Cluster(target.endpoints, {
    clusterRetryStrategy: retryStrategy,
    enableAutoPipelining: role === 'ledger',
    // Certificates name hosts, so host names must not become IP addresses before the certificate is checked.
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
    // After a failover the old primary answers READONLY. The connection moves to the new primary. Except for claims, the command is resent.
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
    // Time limits decide when a command is given up, not a number of retries.
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
        // Sentinels often have the same password, and Sentinels without a password accept any. They seldom know user names.
        ...(target.password && !target.username && { sentinelPassword: target.password }),
      };
  }
}

function credentialsOf({ username, password }: Credentials): Credentials {
  return { ...(username && { username }), ...(password && { password }) };
}

/**
 * Commands sent in one turn of the event loop leave in one write. Otherwise rows that end together would each cost Redis a write, a wake-up
 * and a sync of its file.
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

/** After a reconnect, ioredis sends waiting commands even if their time is over. This removes them. */
function forgetGivenUp(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => (command.isSettled ? command.promise : send(command, stream));
}

/** ioredis starts a cluster command's timeout only when a node takes the command. Without any node it would wait for ever. */
function limitTime(cluster: Cluster): void {
  const send = cluster.sendCommand.bind(cluster);
  cluster.sendCommand = (command, stream, node) => {
    if (command.isSettled) return command.promise;
    command.setTimeout(COMMAND_TIMEOUT_MS);
    return send(command, stream, node);
  };
  cluster.on('+node', forgetGivenUp);
}
