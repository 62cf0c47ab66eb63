import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import { makeTemporaryFolder } from '../../bench/start-servers.ts';
import { spawnRedis } from '../redis/spawn-redis.ts';

type ReplicatedRedis = AsyncDisposable & {
  /** The REDIS_URL of the servers, through the sentinel. */
  url: string;
  /** A connection to the current primary, for observing. It ends with the servers. */
  connection: Redis;
  /** From now on, no write reaches a replica, as when the network between them breaks. */
  cutOff(): Promise<void>;
  /** The primary is there but does not answer. */
  pausePrimary(): Promise<void>;
  /** Kills the paused primary; resolves when the sentinel has made a replica the primary. */
  killPrimary(): Promise<void>;
  /**
   * Resumes the paused primary after the sentinel has made a replica the primary, without telling it. Resolves when it
   * has become a replica.
   */
  wakePrimary(): Promise<void>;
  /** Starts the killed server again with its data, as a replica of the new primary; resolves when it follows. */
  bringBack(): Promise<void>;
};

/**
 * Starts a real primary with two replicas and a sentinel on ports of this machine. Every write is on the primary's disk
 * before it is answered. The servers end, and their data is deleted, when the result is disposed of.
 */
export async function startReplicatedRedis(signal: AbortSignal): Promise<ReplicatedRedis> {
  await using started = new AsyncDisposableStack();
  const { path } = started.use(await makeTemporaryFolder());
  const start = async (name: string, config: string[]): Promise<Server> => {
    const server = await startServer(join(path, name), config);
    started.defer(() => server.end());
    return server;
  };
  const first = await start('first', DURABLE);
  const second = await start('second', [...DURABLE, `replicaof 127.0.0.1 ${first.port}`]);
  const third = await start('third', [...DURABLE, `replicaof 127.0.0.1 ${first.port}`]);
  const replicas = [second, third];
  for (const replica of replicas) await until(() => follows(replica), signal);
  const sentinel = await start('sentinel', [
    `sentinel monitor ${MASTER} 127.0.0.1 ${first.port} 1`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} ${FAILOVER_TIMEOUT_MS}`,
  ]);
  const knowsAll = async () => {
    const known = JSON.stringify(await sentinel.admin.call('SENTINEL', 'REPLICAS', MASTER));
    return replicas.every(({ port }) => known.includes(`:${port}"`));
  };
  await until(knowsAll, signal);
  const connection = connect({ sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: MASTER });
  started.defer(() => connection.disconnect());
  const promoted = async () => {
    const roles = await Promise.all(
      replicas.map(async (replica) => ({ replica, role: (await replica.admin.role())[0] })),
    );
    return roles.find(({ role }) => role === 'master')?.replica;
  };
  const running = started.move();
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER}`,
    connection,
    async cutOff() {
      // A wrong password keeps the replicas from connecting to the primary again.
      await Promise.all(replicas.map(({ admin }) => admin.config('SET', 'masterauth', 'wrong')));
      await first.admin.client('KILL', 'TYPE', 'REPLICA');
    },
    async pausePrimary() {
      first.child.kill('SIGSTOP');
      await Promise.all(replicas.map(({ admin }) => admin.config('SET', 'masterauth', '')));
    },
    async killPrimary() {
      await first.kill();
      await until(promoted, signal);
    },
    async wakePrimary() {
      await until(promoted, signal);
      first.child.kill('SIGCONT');
      for (const server of [first, ...replicas]) await until(() => isSettled(server), signal);
    },
    async bringBack() {
      const primary = await until(promoted, signal);
      await first.restart([`replicaof 127.0.0.1 ${primary.port}`]);
      for (const server of [first, ...replicas]) if (server !== primary) await until(() => follows(server), signal);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const MASTER = 'main';

const DURABLE = ['appendonly yes', 'appendfsync always', 'maxmemory-policy noeviction', 'repl-diskless-sync-delay 0'];

/** Short, so that a round is short. A primary under load on a busy machine mostly answers within this time. */
const DOWN_AFTER_MS = 1_500;
const FAILOVER_TIMEOUT_MS = 5_000;

/** Fine enough for steps that take tens of milliseconds. */
const LOOK_EVERY_MS = 20;

type Server = Awaited<ReturnType<typeof startServer>>;

async function startServer(dir: string, config: string[]) {
  await mkdir(dir);
  const [port, file] = [await freePort(), join(dir, 'redis.conf')];
  const own = [`port ${port}`, 'bind 127.0.0.1', 'save ""', `dir ${dir}`, 'unixsocket admin.sock'];
  // By socket, so that another program on the same port cannot be mistaken for the server.
  const admin = connect({ path: join(dir, 'admin.sock') });
  const run = async (further: string[]): Promise<ChildProcess> => {
    await writeFile(file, [...own, ...further, ''].join('\n'));
    const sentinel = further.some((line) => line.startsWith('sentinel ')) ? ['--sentinel'] : [];
    return spawnRedis([file, ...sentinel]);
  };
  let child = await run(config);
  await admin.ping();
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    port,
    admin,
    get child() {
      return child;
    },
    kill,
    async restart(further: string[]) {
      child = await run([...config, ...further]);
      await admin.ping();
    },
    async end() {
      admin.disconnect();
      await kill();
    },
  };
}

/** Whether a server is a replica that follows, or the primary of two replicas that follow. */
async function isSettled(server: Server): Promise<boolean> {
  return (await follows(server)) || (await server.admin.info('replication')).includes('connected_slaves:2');
}

async function follows({ admin }: Server): Promise<boolean> {
  return (await admin.info('replication')).includes('master_link_status:up');
}

/** A connection for preparing and observing, which outlasts any outage. */
function connect(place: Omit<RedisOptions, 'replyMapping'>): Redis {
  const connection = new Redis({ ...place, retryStrategy: () => LOOK_EVERY_MS, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  return connection;
}

async function until<T>(look: () => Promise<T>, signal: AbortSignal): Promise<NonNullable<T>> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** A port that was free a moment ago, because Redis cannot choose one itself. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}
