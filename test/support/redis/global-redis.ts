import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';
import { DATABASES } from './own-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    redisSocket: string;
    redisUrl: string;
  }
}

/**
 * Runs Redis in its folder ($0) until standard input ends, and removes the folder. So neither stays if the test run is killed, or is
 * interrupted, when Vitest ends without cleaning up.
 */
const UNTIL_INPUT_ENDS = `trap '' INT TERM HUP
command -v redis-server || { rm -rf "$0"; exit 1; }
redis-server "$@" &
read -r _
kill $!
wait $!
rm -rf "$0"`;

/** One real Redis for the whole test run, on its own Unix socket and port; each test uses its own key prefix. */
export default async function setup(project: TestProject) {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-test-redis-'));
  const redisSocket = join(dir, 's');
  const port = await freePort();
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--unixsocket',
    redisSocket,
    '--dir',
    dir,
    '--databases',
    DATABASES,
  ];
  const kept = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
  const server = spawn('sh', ['-c', UNTIL_INPUT_ENDS, dir, ...options.map(String), ...kept], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const probe = new Redis({ path: redisSocket, retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => {});
  const without = exited.then(() => {
    throw new Error('redis-server cannot be started: is it installed?');
  });
  await Promise.race([probe.ping(), without]).finally(() => probe.disconnect());
  without.catch(() => {});
  project.provide('redisSocket', redisSocket);
  project.provide('redisUrl', `redis://127.0.0.1:${port}`);
  return async () => {
    server.stdin.end();
    await exited;
  };
}
