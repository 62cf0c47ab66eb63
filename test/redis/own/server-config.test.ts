import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeSilentLog } from '../../../src/log.ts';
import { openRedis } from '../../../src/redis/open-redis.ts';
import { makeOwnFixture } from '../../support/redis/own-fixture.ts';

const fixture = makeOwnFixture();
afterEach(fixture.clean);

// Promise: claim-on-disk-first
test("Limitline's own Redis keeps every write, packs rows, and is accessible only to its owner", async () => {
  const dataDir = fixture.makeDir();
  const server = await openRedis({ dataDir, log: makeSilentLog() });
  const redis = server.connect('ledger');
  const setting = async (name: string) => ((await redis.config('GET', name)) as string[])[1];
  expect(await setting('appendonly')).toBe('yes');
  expect(await setting('appendfsync')).toBe('always');
  expect(await setting('aof-load-truncated')).toBe('yes');
  expect(await setting('save')).toBe('');
  expect(await setting('maxmemory-policy')).toBe('noeviction');
  expect(await setting('port')).toBe('0');
  await redis.hset('row', {
    answer: 'x'.repeat(1_000),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, n])),
  });
  expect(await redis.object('ENCODING', 'row')).toMatch(/^(listpack|ziplist)$/);
  expect(statSync(join(dataDir, 'redis')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'redis/redis.sock')).mode & 0o777).toBe(0o700);
  await server.close();
});

test('a server that never gets its configuration, because its starter was killed, ends', async () => {
  const server = spawn('redis-server', ['--port', '0', '-'], { cwd: fixture.makeDir() });
  server.stdin.end();
  expect(await once(server, 'exit')).toEqual([1, null]);
});
