import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Redis } from 'ioredis';

/** What goes over the wire: a name and its arguments. */
export type Words = readonly [name: string, ...args: (string | number | Buffer)[]];
export type Reply = Buffer | string | number | null | Error | Reply[];

export type RedisServer = Awaited<ReturnType<typeof startRedisServer>>;
export type Database = ReturnType<RedisServer['open']>;

/** A Redis of this run's own, which keeps nothing on the disk: the real Lua runs on it. */
export async function startRedisServer() {
  const dir = mkdtempSync(join(tmpdir(), 'limitline-simulation-'));
  const path = join(dir, 'redis.sock');
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', dir];
  const child: ChildProcess = spawn('redis-server', [...options, '--enable-debug-command', 'local'], {
    stdio: 'ignore',
  });
  const redis = new Redis({ path, protocol: 2, maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => {});
  await redis.ping();

  const { stream } = redis as unknown as { stream: { cork(): void; uncork(): void } };
  let isCorked = false;
  let selected = 0;
  const send = (name: string, args: readonly (string | number | Buffer)[]): Promise<Reply> => {
    const command = new Command(name, [...args], { replyEncoding: null });
    return (redis.sendCommand(command) as Promise<Reply>).catch((error: Error) => error);
  };
  /** What several runs send in one turn of the event loop leaves in one write: that is what takes the time. */
  const gather = (): void => {
    if (isCorked) return;
    isCorked = true;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };

  /** One of its databases: the Redis of one run at a time. */
  const open = (database: number) => {
    const run = (commands: readonly Words[]): Promise<Reply[]> => {
      gather();
      if (selected !== database) void send('SELECT', [database]);
      selected = database;
      return Promise.all(commands.map(([name, ...args]) => send(name, args)));
    };
    return {
      /** Sends all of these in one go, in their order, and answers what came of each, as bytes. */
      run,
      /** Makes a script known, and answers the name under which Redis has it. */
      async load(lua: string): Promise<string> {
        const [answer] = await run([['SCRIPT', 'LOAD', lua]]);
        if (answer instanceof Error) throw answer;
        return String(answer);
      },
      /** A digest of all that it holds. */
      digest: async (): Promise<string> => String((await run([['DEBUG', 'DIGEST']]))[0]),
    };
  };

  return {
    dir,
    open,
    async close(): Promise<void> {
      redis.disconnect();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
