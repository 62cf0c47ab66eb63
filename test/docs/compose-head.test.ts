import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/redis/free-port.ts';
import { spawnRedis } from '../support/redis/spawn-redis.ts';
import { makeFolder } from '../support/workplace.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The commands at the head of a compose file, without those of Docker, which not every machine has. */
function commandsOf(name: string): string[] {
  const head = readFileSync(join(ROOT, name), 'utf8').split(/^(?!#)/m)[0] ?? '';
  return [...head.matchAll(/^# {3}(.*)$/gm)]
    .map(([, line = '']) => line)
    .filter((line) => !/\bdocker compose /.test(line));
}

const hasOpenssl = spawnSync('/bin/sh', ['-c', 'command -v openssl']).status === 0;

// Promises: compose-makes-secrets, compose-redis-has-password
test.runIf(hasOpenssl)(
  'the commands at the head of docker-compose.yml make a Redis password and an address with it',
  async () => {
    const cwd = await makeFolder();
    execFileSync('/bin/sh', ['-euc', commandsOf('docker-compose.yml').join('\n')], { cwd });
    const port = await freePort();
    const args = ['redis.conf', '--appendonly', 'no', '--save', '', '--port', String(port), '--bind', '127.0.0.1'];
    const server = spawnRedis(args, { cwd });
    onTestFinished(async () => {
      server.kill('SIGKILL');
      await once(server, 'exit');
    });
    const address = readFileSync(join(cwd, 'redis_url.txt'), 'utf8').trim();
    const redis = new Redis(address.replace('@redis:6379', `@127.0.0.1:${port}`), { retryStrategy: () => 20 });
    redis.on('error', () => {});
    onTestFinished(() => redis.disconnect());
    expect(await redis.ping()).toBe('PONG');
    const stranger = new Redis({ port, retryStrategy: () => null });
    stranger.on('error', () => {});
    onTestFinished(() => stranger.disconnect());
    await expect(stranger.ping()).rejects.toThrow('NOAUTH');
    expect(readFileSync(join(cwd, 'service_client_secret.txt'), 'utf8')).not.toBe('');
  },
);

test.runIf(hasOpenssl)(
  'the commands at the head of docker-compose.events.yml make a valid secret for the listener',
  async () => {
    const cwd = await makeFolder();
    execFileSync('/bin/sh', ['-euc', commandsOf('docker-compose.events.yml').join('\n')], { cwd });
    expect(readFileSync(join(cwd, 'events_secret.txt'), 'utf8').trim()).toMatch(/^[\w-]{24,200}$/);
  },
);
