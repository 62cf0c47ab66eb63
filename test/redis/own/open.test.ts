import { appendFileSync, cpSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeSilentLog } from '../../../src/log.ts';
import { openRedis } from '../../../src/redis/open-redis.ts';
import { openOwnRedis } from '../../../src/redis/own/open.ts';
import { makeOwnFixture, serversBelow, WAIT } from '../../support/redis/own-fixture.ts';
import { testsBeside } from '../../support/tests-beside.ts';

const OLDER_SERVER = fileURLToPath(new URL('../../support/redis/older-server.ts', import.meta.url));

const fixture = makeOwnFixture();
const { makeDir, user } = fixture;
afterEach(fixture.clean);

const log = makeSilentLog();

describe('one server for all processes of a data folder', () => {
  const test = testsBeside();

  test('the first process starts the server, others share it, the last one ends it, and the data stays', async () => {
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

  test('four concurrent commands on a new folder start one server, and all of them work', async () => {
    const dataDir = makeDir();
    const users = await Promise.all(Array.from({ length: 4 }, () => user(dataDir)));
    expect(serversBelow(dataDir)).toHaveLength(1);
    expect(new Set(users.map(({ first }) => first.server))).toEqual(new Set(serversBelow(dataDir)));
    const counts = await Promise.all(users.map(({ ask }) => ask('incr')));
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4]);
    await Promise.all(users.map(({ close }) => close()));
    expect(serversBelow(dataDir)).toEqual([]);
  });

  test('racing starts and ends never leave two servers or an unused one', async () => {
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
  const test = testsBeside();

  test('a killed server is restarted once by its users, and their connections continue', async () => {
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

  test('commands that end while the server dies leave no server behind', async () => {
    const dataDir = makeDir();
    const users = await Promise.all([user(dataDir), user(dataDir)]);
    process.kill(users[0].first.server, 'SIGKILL');
    await Promise.all(users.map(({ close }) => close()));
    // A killed process exists until the system has ended it.
    await vi.waitUntil(() => serversBelow(dataDir).length === 0, WAIT);
  });

  test('after everything was killed the next start works, and a truncated last command is dropped', async () => {
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

describe('a server that did not receive its SHUTDOWN', () => {
  test('keeps running for a process that joined since', async () => {
    const dataDir = makeDir();
    const own = await openOwnRedis({ dataDir, log });
    const [server] = serversBelow(dataDir);
    let next: Awaited<ReturnType<typeof user>> | undefined;
    const call = Redis.prototype.call;
    const spy = vi.spyOn(Redis.prototype, 'call').mockImplementation(async function (this: Redis, ...args: unknown[]) {
      if (args[0] !== 'SHUTDOWN') return Reflect.apply(call, this, args);
      // The last user's connection ends before the server has read the command, and another process joins.
      this.disconnect();
      next = await user(dataDir);
      throw new Error('Connection is closed.');
    } as never);
    await own.close();
    spy.mockRestore();
    expect(serversBelow(dataDir)).toEqual([server]);
    expect(await next?.ask('server')).toEqual({ server });
  });

  test('is told again if no process joined', async () => {
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

describe('a hanging server', () => {
  test('delays a leaving process for about a second at most', async () => {
    const dataDir = makeDir();
    const leave = async () => {
      const own = await openOwnRedis({ dataDir, log });
      for (const server of serversBelow(dataDir)) process.kill(server, 'SIGSTOP');
      const since = performance.now();
      await own.close();
      return performance.now() - since;
    };
    // The smallest of several measurements is taken, since other load adds time.
    await expect.poll(leave).toBeLessThan(2_000);
  });
});

describe('folders', () => {
  test('keep their server when they are moved', async () => {
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

  test('get their own server when they are copied, and the original keeps its server', async () => {
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
    ['longer than a socket address and reached from elsewhere', (dir: string) => join(dir, 'd'.repeat(120))],
    ['long and has quotes, spaces and non-ASCII letters', (dir: string) => join(dir, 'ü "quoted" '.repeat(9))],
  ])(
    'opened twice by one process stay open until the second close, with a path that is %s',
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

  test('work with a long path that is short from the working directory', async () => {
    const cwd = makeDir();
    const dataDir = join(cwd, 'd'.repeat(80));
    const first = await user(dataDir, { cwd });
    expect(await first.ask('incr')).toEqual({ count: 1 });
  });
});

describe('the message without a server', () => {
  // Promise: says-which-node
  test('says that there is no redis-server', async () => {
    const { first } = await user(makeDir(), { env: { ...process.env, PATH: '/nowhere' } });
    expect(first).toEqual({
      code: 'REDIS',
      fault: expect.stringMatching(/^No redis-server .*apt-get install.*REDIS_URL\.$/),
    });
  });

  test('says that redis-server cannot be run', async () => {
    const dir = makeDir();
    writeFileSync(join(dir, 'redis-server'), '#!/nowhere/interpreter\n', { mode: 0o755 });
    const { first } = await user(makeDir(), { env: { ...process.env, PATH: dir } });
    expect(first).toEqual({ code: 'REDIS', fault: expect.stringMatching(/redis-server cannot be run \(.*ENOENT\)/) });
  });

  test('says that redis-server is older than 7.0, and does not leave it running', async () => {
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

  test('says that the data folder cannot be written', async () => {
    const dataDir = join(makeDir(), 'file');
    writeFileSync(dataDir, '');
    await expect(openRedis({ dataDir, log })).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(/^Data folder .*cannot be written to .*EEXIST.*LIMITLINE_DATA/),
    });
  });

  test('says that Redis cannot read the data', async () => {
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
