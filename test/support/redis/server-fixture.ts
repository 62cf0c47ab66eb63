import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import type { Credentials } from '../../../src/redis/redis-url.ts';
import { freePort } from './free-port.ts';
import { WAIT } from './own-fixture.ts';
import { spawnRedis } from './spawn-redis.ts';

/** A Redis of another operator, for tests: on a port of this machine, and ended by the fixture. */
export type GivenServer = Awaited<ReturnType<typeof startGiven>>;

/** Starts servers of every kind; `clean()` ends and deletes all of them. */
export function makeServerFixture() {
  const servers: GivenServer[] = [];
  const dirs: string[] = [];
  const makeDir = () => {
    const dir = mkdtempSync(join(tmpdir(), 'limitline-given-'));
    dirs.push(dir);
    return dir;
  };
  const start = async (config: readonly string[] = [], options: { port?: number; access?: Credentials } = {}) => {
    const server = await startGiven(makeDir(), config, options);
    servers.push(server);
    return server;
  };
  return {
    makeDir,
    start,

    /** Starts a replica, and waits until it has all data of the primary. */
    async startReplicaOf(primary: GivenServer, config: readonly string[] = []): Promise<GivenServer> {
      const replica = await start([`replicaof 127.0.0.1 ${primary.port}`, ...config]);
      await synced(replica, primary);
      return replica;
    },

    /** Three nodes that share the slots. */
    async startCluster(): Promise<GivenServer[]> {
      const nodes = await Promise.all([0, 1, 2].map(() => start(['cluster-enabled yes', 'cluster-node-timeout 2000'])));
      await Promise.all(nodes.map((node, index) => takeSlots(node, index)));
      const [first, ...others] = nodes;
      for (const { port } of others) await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port));
      await Promise.all(nodes.map((node) => whole(node, nodes.length)));
      return nodes;
    },

    /**
     * A further node of a cluster that follows one of the nodes. All others know it, because their votes can make it a
     * primary.
     */
    async startClusterReplicaOf(primary: GivenServer, nodes: readonly GivenServer[]): Promise<GivenServer> {
      const replica = await start(['cluster-enabled yes', 'cluster-node-timeout 2000']);
      await replica.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(primary.port));
      const id = String(await primary.admin.call('CLUSTER', 'MYID'));
      const follow = () => replica.admin.call('CLUSTER', 'REPLICATE', id);
      // It must have met the node first.
      await vi.waitFor(follow, WAIT);
      await synced(replica, primary);
      await Promise.all([...nodes, replica].map((node) => whole(node, nodes.length + 1)));
      return replica;
    },

    async clean(): Promise<void> {
      await Promise.all(servers.splice(0).map((server) => server.kill()));
      for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function startGiven(
  dir: string,
  config: readonly string[],
  { port: wanted, access = {} }: { port?: number; access?: Credentials },
) {
  const port = wanted ?? (await freePort());
  const file = join(dir, 'redis.conf');
  const lines = [`port ${port}`, 'bind 127.0.0.1', 'save ""', 'unixsocket admin.sock', `dir ${dir}`, ...config, ''];
  writeFileSync(file, lines.join('\n'));
  const sentinel = config.some((line) => line.startsWith('sentinel ')) ? ['--sentinel'] : [];
  const child = spawnRedis([file, ...sentinel]);
  const admin = new Redis({
    path: join(dir, 'admin.sock'),
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    ...access,
  });
  admin.on('error', () => {});
  await answers(admin, child);
  return {
    port,
    pid: child.pid ?? 0,
    url: `redis://127.0.0.1:${port}`,
    socketPath: join(dir, 'admin.sock'),
    /** A connection for preparing and observing. */
    admin,
    async kill(): Promise<void> {
      admin.disconnect();
      if (hasEnded(child)) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Waits until a replica follows its primary, and the primary knows it. */
export async function synced(replica: GivenServer, primary: GivenServer): Promise<void> {
  const isUp = async () => (await replica.admin.info('replication')).includes('master_link_status:up');
  await vi.waitUntil(isUp, WAIT);
  const isKnown = async () => (await primary.admin.info('replication')).includes(`port=${replica.port},state=online`);
  await vi.waitUntil(isKnown, WAIT);
}

/** Takes a third of the 16,384 slots; the last node also takes the remainder. */
async function takeSlots({ admin }: GivenServer, index: number): Promise<void> {
  const first = index * 5_461;
  const count = index === 2 ? 16_384 - first : 5_461;
  await admin.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: count }, (_, slot) => String(first + slot)));
}

/** Waits until a node knows so many nodes of its cluster, all of which have answered it. */
async function whole({ admin }: GivenServer, count: number): Promise<void> {
  const isWhole = async () => {
    const [info, nodes] = [String(await admin.call('CLUSTER', 'INFO')), String(await admin.call('CLUSTER', 'NODES'))];
    const known = nodes.split('\n').filter((line) => line !== '' && !/handshake|noaddr|fail/.test(line));
    return info.includes('cluster_state:ok') && known.length === count;
  };
  await vi.waitUntil(isWhole, WAIT);
}

/** Waits until a server answers, and throws if it has ended instead. */
async function answers(admin: Redis, child: ChildProcess): Promise<void> {
  const ending = new AbortController();
  const ended = once(child, 'exit', { signal: ending.signal }).then(
    ([code]) => Promise.reject(new Error(`The server of a test ended at its start, with ${code}.`)),
    () => {},
  );
  try {
    await Promise.race([admin.ping(), ended]);
  } catch (error) {
    admin.disconnect();
    throw error;
  } finally {
    ending.abort();
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
