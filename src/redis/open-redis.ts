import { Cluster, type Redis } from 'ioredis';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { certificateWords } from '../no-connection.ts';
import { COMMAND_TIMEOUT_MS, type ConnectionRole, type Connections, makeConnections } from './connect.ts';
import { openOwnRedis } from './own/open.ts';
import { describeRedis, parseRedisUrl } from './redis-url.ts';
import { checkVersion, nodesOf, readInfo, type ServerInfo } from './server-info.ts';

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
 * @param given.awaitsData whether a given Redis that loads its data is waited for, until the signal if there is one; if not, it counts as away
 * @throws LimitlineError `SETTINGS` for an invalid address, `REDIS` if no Redis answers or can serve (after about 5 s), `FILE` if the data
 *   folder cannot be used
 */
export async function openRedis(given: {
  url?: string | undefined;
  dataDir: string;
  log: Log;
  awaitsData?: boolean | AbortSignal | undefined;
}): Promise<RedisServer> {
  const { url, dataDir, log, awaitsData = true } = given;
  return url === undefined ? openOwn(dataDir, log) : openGiven({ url, log, awaitsData });
}

async function openGiven({
  url,
  ...how
}: {
  url: string;
  log: Log;
  awaitsData: boolean | AbortSignal;
}): Promise<RedisServer> {
  const target = parseRedisUrl(url);
  const where = describeRedis(target);
  const connections = makeConnections({ target, where, log: how.log });
  try {
    await checkGivenRedis({ ...how, connections, where, db: 'db' in target ? target.db : 0 });
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

/**
 * Checks a Redis given by a user before it is relied on: it answers, is new enough, accepts writes, and keeps what was written. A
 * configuration that could lose data causes a warning, one sentence each, and is not changed.
 *
 * @throws LimitlineError `REDIS` if it does not answer within about 5 s and is not loading its data, or can never serve
 */
async function checkGivenRedis(given: {
  connections: Connections;
  where: string;
  log: Log;
  awaitsData: boolean | AbortSignal;
  /** The number of the database. */
  db: number;
}): Promise<void> {
  const { connections, where, log, awaitsData, db } = given;
  const connection = connections.connect('queue');
  const warnings = new Set<string>();
  const ending = typeof awaitsData === 'boolean' ? undefined : awaitsData;
  const nodes = await reach({ connection, where, ending }, () => {
    if (!awaitsData) throw new LimitlineError('REDIS', `Redis at ${where} is still loading its data.`);
    log.warn({ redis: where }, `Redis at ${where} is still loading its data; it is waited for.`);
  });
  // If Redis refuses the database of a connection, ioredis goes on in database 0, which is another ledger.
  if (db !== 0) for (const node of nodes) await ask(where, () => node.select(db));
  for (const node of nodes) {
    const info = await ask(where, () => readInfo(node));
    checkVersion(info, `Redis at ${where}`);
    checkPlace(info, connection, where);
    for (const warning of await findWeakness(node, info)) warnings.add(warning);
  }
  for (const warning of warnings) log.warn({ redis: where }, warning);
  await ask(where, () => connection.quit());
}

type Reached = { connection: RedisConnection; where: string; ending: AbortSignal | undefined };

/** The servers behind the connection, once it works: one, or the primaries of a cluster. Calls `onLoading` once before it waits for data. */
async function reach({ connection, where, ending }: Reached, onLoading: () => void): Promise<Redis[]> {
  // The last error that ioredis reported before the timeout, which gives no reason itself.
  let reason: unknown;
  const note = (error: Error & { lastNodeError?: unknown }) => {
    reason = error.lastNodeError ?? error;
  };
  connection.on('error', note);
  try {
    const ping = () => connection.ping();
    const stopped = () => new LimitlineError('STOPPED', `Stopped: Redis at ${where} is still loading its data.`);
    const end = new Promise<Error>((resolve) =>
      ending?.addEventListener('abort', () => resolve(stopped()), { once: true }),
    );
    for (let before: boolean | undefined; ; ) {
      const answer = ask(where, ping, () => reason).then(
        () => undefined,
        (error: unknown) => error,
      );
      const fault = await (before === undefined ? answer : Promise.race([answer, end]));
      if (!fault) break;
      if (before !== undefined && ending?.aborted) throw stopped();
      const isLoading = await findLoading(connection);
      // The data may be there just now, after the command has waited in vain.
      if (isLoading === undefined || (!isLoading && before === false)) throw fault;
      if (isLoading && before === undefined) onLoading();
      if (isLoading && ending?.aborted) throw stopped();
      before = isLoading;
    }
  } finally {
    connection.off('error', note);
  }
  return nodesOf(connection);
}

/** Whether the server loads its data, as after a restart: until then a connection keeps its commands waiting. Undefined if it is not there. */
async function findLoading(connection: RedisConnection): Promise<boolean | undefined> {
  if (connection instanceof Cluster) return undefined;
  const never = () => null;
  const look = connection.duplicate({
    enableReadyCheck: false,
    lazyConnect: true,
    // It was silent for long already. A server that loads its data answers INFO all the while.
    connectTimeout: LOOK_MS,
    commandTimeout: LOOK_MS,
    socketTimeout: LOOK_MS,
    retryStrategy: never,
    sentinelRetryStrategy: never,
  });
  look.on('error', () => {});
  try {
    await look.connect();
    return (await readInfo(look)).loading === '1';
  } catch {
    return undefined;
  } finally {
    look.disconnect();
  }
}

/** The time limit for the answer whether a server loads its data, in ms. */
const LOOK_MS = 1_000;

async function ask<T>(where: string, run: () => Promise<T>, lastReported: () => unknown = () => undefined): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const reason = lastReported() ?? error;
    throw new LimitlineError('REDIS', `Redis at ${where} ${remedyFor(reason)}`, { cause: reason });
  }
}

function remedyFor(error: unknown): string {
  const certificate = certificateWords(error);
  if (certificate) return `cannot be used: ${certificate}.`;
  const said = messageOf(error);
  const reason = said.replace(SENTINELS_IN_VAIN, '');
  if (reason !== said) return sentinelsRemedyFor(reason);
  if (/WRONGPASS|NOAUTH|NOPERM/.test(reason)) {
    return `refuses access (${reason}); correct the user and password in REDIS_URL, or the rights of that user.`;
  }
  if (reason.includes('DB index'))
    return `refuses the database (${reason}); correct the number at the end of REDIS_URL.`;
  if (reason.startsWith('MISCONF')) {
    return `takes no writes, since it cannot save to its disk (${reason}); its log names the cause, such as a full disk.`;
  }
  if (reason.includes('cluster support disabled')) return `is no cluster (${reason}); give one address in REDIS_URL.`;
  if (reason.includes('unknown command')) {
    return `lacks a command (${reason}); it may be a sentinel, or the command was renamed. Correct REDIS_URL, or rename no command.`;
  }
  return `does not answer within ${COMMAND_TIMEOUT_MS / 1_000} s (${reason}); start it, or correct REDIS_URL.`;
}

/** What ioredis puts before the last reason when it has asked all sentinels in vain. */
const SENTINELS_IN_VAIN = /^All sentinels are unreachable\b.* Last error: /;

function sentinelsRemedyFor(reason: string): string {
  if (/WRONGPASS|NOAUTH|NOPERM/.test(reason)) {
    return `has sentinels that refuse access (${reason}); they are told the password of REDIS_URL where it names no user, and no other.`;
  }
  if (reason.includes('No such master')) {
    return `is not known to its sentinels by that name (${reason}); correct the name in REDIS_URL.`;
  }
  if (/unknown command/.test(reason)) {
    return `has no sentinels there (${reason}); give the addresses of sentinels in REDIS_URL, or begin it with redis://.`;
  }
  return `is not found, since no sentinel leads to it (${reason}); start the sentinels, or correct REDIS_URL.`;
}

function checkPlace(info: ServerInfo, connection: RedisConnection, where: string): void {
  if (info.redis_mode === 'sentinel') {
    const remedy = 'write redis+sentinel://host:port/NAME, with the name of the primary that it watches';
    throw new LimitlineError('REDIS', `Redis at ${where} is a sentinel; ${remedy}, in REDIS_URL.`);
  }
  if (info.role === 'slave') {
    const remedy = 'give the address of its primary, or of its sentinels, in REDIS_URL';
    throw new LimitlineError('REDIS', `Redis at ${where} is a replica, which cannot be written to; ${remedy}.`);
  }
  if (info.cluster_enabled === '1' && !connection.isCluster) {
    const remedy = 'give several of its addresses in REDIS_URL, separated by commas (the same one twice will do)';
    throw new LimitlineError('REDIS', `Redis at ${where} is part of a cluster; ${remedy}.`);
  }
}

/** Weaknesses of a server's configuration, a sentence each. INFO has most of them, since hosted Redis may forbid CONFIG. */
export async function findWeakness(node: Redis, info: ServerInfo): Promise<string[]> {
  const found: string[] = [];
  if (info.aof_enabled === '0') {
    found.push(
      'this Redis has appendonly off: a crash loses the record of calls already made; set appendonly to yes and appendfsync to always',
    );
  } else {
    const fsync = await readFsync(node);
    if (fsync === undefined) {
      found.push('this Redis forbids CONFIG, so appendfsync cannot be checked; make sure that appendfsync is always');
    } else if (fsync !== 'always') {
      found.push(
        `this Redis has appendfsync ${fsync}: a power cut loses the record of the last calls; set appendfsync to always`,
      );
    }
  }
  if (info.maxmemory_policy !== 'noeviction') {
    const policy = info.maxmemory_policy ?? 'unknown';
    found.push(
      `this Redis has maxmemory-policy ${policy}: when its memory is full, Redis deletes the record of calls already made; set maxmemory-policy to noeviction`,
    );
  }
  return found;
}

async function readFsync(node: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await node.config('GET', 'appendfsync')) as string[];
    return value;
  } catch {
    return undefined;
  }
}
