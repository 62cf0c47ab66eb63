import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { makeFolder } from '../workplace.ts';
import { freePort } from './free-port.ts';
import { spawnRedis } from './spawn-redis.ts';

/** A Redis of this test, as durable as the product requires, that can be killed and restarted with its data. */
export async function startKillableRedis() {
  const [dir, port] = [await makeFolder(), await freePort()];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''];
  const start = () => spawnRedis([...args, '--appendonly', 'yes', '--appendfsync', 'always']);
  let server = start();
  const admin = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null });
  admin.on('error', () => {});
  onTestFinished(async () => {
    admin.disconnect();
    await kill(server);
  });
  await admin.ping();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    /** A connection for preparing and observing. */
    admin,
    /** Ends it at once, like a crash. */
    kill: () => kill(server),
    /** Suspends it, so that it is there but silent until it is killed. */
    pause: () => void server.kill('SIGSTOP'),
    async restart(): Promise<void> {
      server = start();
      await admin.ping();
    },
  };
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}
