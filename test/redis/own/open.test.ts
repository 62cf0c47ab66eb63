import { appendFileSync, cpSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeSilentLog } from '../../../src/log.ts';
import { openRedis } from '../../../src/redis/open-redis.ts';
import { openOwnRedis } from '../../../src/redis/own/open.ts';
import { makeOwnFixture, serversBelow, WAIT } from '../../support/redis/own-fixture.ts';

const OLDER_SERVER = fileURLToPath(new URL('../../support/redis/older-server.ts', import.meta.url));

const fixture = makeOwnFixture();
const { makeDir, user } = fixture;
afterEach(fixture.clean);

const log = makeSilentLog();

describe('one server for all who use the folder', () => {
  test('the first starts it, the others share it, the last ends it, and the data stays', async () => {
    const dataDir = makeDir();
    const first = await user(dataDir);
    const second = await user(dataDir);
    expect(second.first).toEqual(first.first);
    expect(await first.ask('incr')).toEqual({ count: 1 });
    await first.close();
    expect(serversBelow(dataDir)).toEqual([second.first.server]);
    expect(await second.ask('incr')).toEqual({ count: 2 });
    await second.close();
    expect(serversBelow(dataDir)).toEqual([]);
    const third = await user(dataDir);
    expect(await third.ask('incr')).toEqual({ count: 3 });
  });

  test('four commands at once on a fresh folder start one server, and all of them work', async () => {
    const dataDir = makeDir();
    const users = await Promise.all(Array.from({ length: 4 }, () => user(dataDir)));
    expect(serversBelow(dataDir)).toHaveLength(1);
    expect(new Set(users.map(({ first }) => first.server))).toEqual(new Set(serversBelow(dataDir)));
    const counts = await Promise.all(users.map(({ ask }) => ask('incr')));
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4]);
    await Promise.all(users.map(({ close }) => close()));
    expect(serversBelow(dataDir)).toEqual([]);
  });

  test('starts and ends that race with each other never leave two servers, nor one that nobody uses', async () => {
    const dataDir = makeDir();
    const racing = Promise.all(Array.from({ length: 3 }, () => user(dataDir, { task: ['cycle', '10'] })));
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, serversBelow(dataDir).length);
    }, 20);
    const users = await racing.finally(() => clearInterval(watch));
    expect(users.map(({ first }) => first)).toEqual(Array.from({ length: 3 }, () => ({ cycles: 10 })));
    expect(most).toBe(1);
    expect(serversBelow(dataDir)).toEqual([]);
    const server = await openRedis({ dataDir, log });
    expect(await server.connect('ledger').get('cycles')).toBe('30');
    await server.close();
  });
});

describe('crashes', () => {
  test('a killed server is started again by its users, once, and their connections go on', async () => {
    const dataDir = makeDir();
    const users = await Promise.all([user(dataDir), user(dataDir)]);
    const [first] = users;
    expect(await first.ask('incr')).toEqual({ count: 1 });
    process.kill(first.first.server, 'SIGKILL');
    await vi.waitUntil(() => !serversBelow(dataDir).includes(first.first.server), WAIT);
    const counts = await Promise.all(users.map(({ ask }) => ask('incr')));
    expect(counts.map(({ count }) => count).sort()).toEqual([2, 3]);
    expect(serversBelow(dataDir)).toHaveLength(1);
    await Promise.all(users.map(({ close }) => close()));
    expect(serversBelow(dataDir)).toEqual([]);
  });

  test('commands that leave in the moment in which the server dies leave none behind', async () => {
    const dataDir = makeDir();
    const users = await Promise.all([user(dataDir), user(dataDir)]);
    process.kill(users[0].first.server, 'SIGKILL');
    await Promise.all(users.map(({ close }) => close()));
    // A process that was killed is there for as long as the system takes to end it.
    await vi.waitUntil(() => serversBelow(dataDir).length === 0, WAIT);
  });

  test('what stays behind when everything is killed does no harm, and half a command at the end of the data is left out', async () => {
    const dataDir = makeDir();
    const users = await Promise.all([user(dataDir), user(dataDir)]);
    await users[0].ask('incr');
    await Promise.all(users.map(({ kill }) => kill()));
    process.kill(users[0].first.server, 'SIGKILL');
    await vi.waitUntil(() => serversBelow(dataDir).length === 0, WAIT);
    const [file = ''] = globSync(join(dataDir, 'redis/appendonlydir/*.incr.aof'));
    appendFileSync(file, '*2\r\n$4\r\nINCR\r\n$5\r\nco');
    const next = await user(dataDir);
    expect(await next.ask('incr')).toEqual({ count: 2 });
    await next.close();
    expect(serversBelow(dataDir)).toEqual([]);
  });

  test('a server that does not answer is killed and replaced', async () => {
    const dataDir = makeDir();
    const first = await user(dataDir);
    await first.ask('incr');
    process.kill(first.first.server, 'SIGSTOP');
    const second = await user(dataDir);
    expect(second.first.server).not.toBe(first.first.server);
    expect(serversBelow(dataDir)).toEqual([second.first.server]);
    expect(await second.ask('incr')).toEqual({ count: 2 });
    expect(await first.ask('incr')).toEqual({ count: 3 });
  });
});

describe('a server that was not told that it ends', () => {
  test('goes on for whoever came since', async () => {
    const dataDir = makeDir();
    const own = await openOwnRedis({ dataDir, log });
    const [server] = serversBelow(dataDir);
    let next: Awaited<ReturnType<typeof user>> | undefined;
    const call = Redis.prototype.call;
    const spy = vi.spyOn(Redis.prototype, 'call').mockImplementation(async function (this: Redis, ...args: unknown[]) {
      if (args[0] !== 'SHUTDOWN') return Reflect.apply(call, this, args);
      // The connection of the last one ends before the server has read it, and somebody else comes.
      this.disconnect();
      next = await user(dataDir);
      throw new Error('Connection is closed.');
    } as never);
    await own.close();
    spy.mockRestore();
    expect(serversBelow(dataDir)).toEqual([server]);
    expect(await next?.ask('server')).toEqual({ server });
  });

  test('is told again where nobody did', async () => {
    const dataDir = makeDir();
    const own = await openOwnRedis({ dataDir, log });
    const call = Redis.prototype.call;
    let isFirst = true;
    const spy = vi.spyOn(Redis.prototype, 'call').mockImplementation(async function (this: Redis, ...args: unknown[]) {
      if (args[0] !== 'SHUTDOWN' || !isFirst) return Reflect.apply(call, this, args);
      isFirst = false;
      this.disconnect();
      throw new Error('Connection is closed.');
    } as never);
    await own.close();
    spy.mockRestore();
    expect(serversBelow(dataDir)).toEqual([]);
  });
});

describe('a server that hangs', () => {
  test('delays nobody who leaves for longer than a second', async () => {
    const dataDir = makeDir();
    const leave = async () => {
      const own = await openOwnRedis({ dataDir, log });
      for (const server of serversBelow(dataDir)) process.kill(server, 'SIGSTOP');
      const since = performance.now();
      await own.close();
      return performance.now() - since;
    };
    // The least of some is what it takes by itself: a clock also measures what else the machine does.
    await expect.poll(leave).toBeLessThan(2_000);
  });
});

describe('folders', () => {
  test('a moved folder keeps its server', async () => {
    const dataDir = makeDir();
    const moved = join(makeDir(), 'moved');
    const first = await user(dataDir);
    await first.kill();
    renameSync(dataDir, moved);
    const second = await user(moved);
    expect(second.first).toEqual(first.first);
    await second.close();
    expect(serversBelow(moved)).toEqual([]);
  });

  test('a copied folder gets a server of its own, and leaves the other alone', async () => {
    const dataDir = makeDir();
    const copy = join(makeDir(), 'copy');
    const first = await user(dataDir);
    await first.ask('incr');
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const second = await user(copy);
    expect(second.first.server).not.toBe(first.first.server);
    expect(await second.ask('incr')).toEqual({ count: 2 });
    await second.close();
    expect(await first.ask('server')).toEqual(first.first);
  });

  test.each([
    ['short', (dir: string) => dir],
    ['longer than a socket address, from elsewhere', (dir: string) => join(dir, 'd'.repeat(120))],
    ['of any length in bytes', (dir: string) => join(dir, 'ü "quoted" '.repeat(9))],
  ])(
    'a folder is opened twice by one process, and kept until the second closes, with a path that is %s',
    async (_name, dataDirIn) => {
      const dataDir = dataDirIn(makeDir());
      const [first, second] = await Promise.all([openRedis({ dataDir, log }), openRedis({ dataDir, log })]);
      expect(serversBelow(dataDir)).toHaveLength(1);
      await first.close();
      expect(await second.connect('ledger').ping()).toBe('PONG');
      await second.close();
      expect(serversBelow(dataDir)).toEqual([]);
    },
  );

  test('a folder works with a long path that is short from the working directory', async () => {
    const cwd = makeDir();
    const dataDir = join(cwd, 'd'.repeat(80));
    const first = await user(dataDir, { cwd });
    expect(await first.ask('incr')).toEqual({ count: 1 });
  });
});

describe('why no server can be had', () => {
  // Promise: says-which-node
  test('is told in one sentence: no redis-server', async () => {
    const { first } = await user(makeDir(), { env: { ...process.env, PATH: '/nowhere' } });
    expect(first).toEqual({
      code: 'REDIS',
      fault: expect.stringMatching(/^No redis-server .*apt-get install.*REDIS_URL\.$/),
    });
  });

  test('is told in one sentence: a redis-server that is none', async () => {
    const dir = makeDir();
    writeFileSync(join(dir, 'redis-server'), '#!/nowhere/interpreter\n', { mode: 0o755 });
    const { first } = await user(makeDir(), { env: { ...process.env, PATH: dir } });
    expect(first).toEqual({ code: 'REDIS', fault: expect.stringMatching(/redis-server cannot be run \(.*ENOENT\)/) });
  });

  test('is told in one sentence: a redis-server before 7.0, which is not left running', async () => {
    const [bin, dataDir] = [makeDir(), makeDir()];
    const script = `#!/bin/sh\nREAL_PATH='${process.env.PATH}' exec '${process.execPath}' '${OLDER_SERVER}' "$@"\n`;
    writeFileSync(join(bin, 'redis-server'), script, { mode: 0o755 });
    const { first } = await user(dataDir, { env: { ...process.env, PATH: `${bin}:${process.env.PATH}` } });
    const version = expect.stringMatching(
      /^The redis-server on the PATH is version 6\.2\S*; Limitline needs 7\.0 or later/,
    );
    expect(first).toEqual({ code: 'REDIS', fault: version });
    expect(serversBelow(dataDir)).toEqual([]);
  });

  test('is told in one sentence: a data folder that cannot be written to', async () => {
    const dataDir = join(makeDir(), 'file');
    writeFileSync(dataDir, '');
    await expect(openRedis({ dataDir, log })).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(/^Data folder .*cannot be written to .*EEXIST.*LIMITLINE_DATA/),
    });
  });

  test('is told in one sentence: data that Redis cannot read', async () => {
    const dataDir = makeDir();
    await (await openRedis({ dataDir, log })).close();
    const [file = ''] = globSync(join(dataDir, 'redis/appendonlydir/*.incr.aof'));
    writeFileSync(file, 'this is no Redis protocol\r\n'.repeat(3));
    await expect(openRedis({ dataDir, log })).rejects.toMatchObject({
      code: 'REDIS',
      message: expect.stringMatching(/^redis-server stops as soon as it starts: .*Bad file format.*redis\.log/),
    });
    expect(serversBelow(dataDir)).toEqual([]);
    expect(readFileSync(join(dataDir, 'redis/redis.log'), 'utf8')).toContain('Bad file format');
  });
});
