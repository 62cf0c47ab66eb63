import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnRedis } from '../../support/redis/spawn-redis.ts';
import { makeResp, type Reply, type Words } from './resp.ts';

export type { Reply, Words } from './resp.ts';

/** The folder in which files of runs are cheapest. */
const IN_MEMORY = '/dev/shm';

export type RedisServer = Awaited<ReturnType<typeof startRedisServer>>;
export type Database = ReturnType<RedisServer['open']>;

/** The socket exists a moment before the server listens on it. */
async function connectTo(path: string): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isOpen) return socket;
    await sleep(5);
  }
}

/** A Redis of this run alone, without persistence; the real Lua scripts run on it. */
export async function startRedisServer() {
  const dir = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'limitline-simulation-'));
  const path = join(dir, 'redis.sock');
  const keepsNothing = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--latency-tracking',
    'no',
    '--hash-max-ziplist-value',
    '1024',
  ];
  const options = ['--port', '0', '--unixsocket', path, '--dir', dir, ...keepsNothing];
  const child = spawnRedis(options);
  const socket = await connectTo(path);
  const say = makeResp(socket);
  let selected = 0;

  /** One of its databases: the Redis of one run at a time. */
  const open = (database: number) => {
    const run = (commands: readonly Words[]): Promise<Reply[]> => {
      if (selected !== database) void say([['SELECT', database]]);
      selected = database;
      return say(commands);
    };
    return {
      /** Sends these commands at once, in their order, and returns the reply of each, as bytes. */
      run,
      /** The processor time of the server so far, for all its databases. */
      async usedMs(): Promise<number> {
        const told = String(await say([['INFO', 'cpu']]));
        const parts = [...told.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)];
        return parts.reduce((sum, [, seconds]) => sum + Number(seconds) * 1_000, 0);
      },
    };
  };

  return {
    dir,
    open,
    async close(): Promise<void> {
      socket.destroy();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
