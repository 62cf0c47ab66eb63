import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, vi } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { openRedis, type RedisServer } from '../../src/redis/open-redis.ts';
import { freePort } from '../support/redis/free-port.ts';
import { startLoading } from '../support/redis/loading-server.ts';
import { makeOwnFixture, WAIT } from '../support/redis/own-fixture.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { makeKeptLog } from '../support/workplace.ts';

const test = testsBeside();

const fixture = makeServerFixture();
const own = makeOwnFixture();
const opened: RedisServer[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
  await Promise.all([fixture.clean(), own.clean()]);
});

const DURABLE = ['appendonly yes', 'appendfsync always'];

describe('a given Redis', () => {
  test('is opened with its user, password and db, and described without user and password', async () => {
    const access = { username: 'me', password: 'p@ss' };
    const { port } = await fixture.start([...DURABLE, 'user default off', 'user me on >p@ss ~* &* +@all'], { access });
    const server = await open(`redis://me:p%40ss@127.0.0.1:${port}/3`);
    expect(server.where).toBe(`redis://127.0.0.1:${port}/3`);
    expect(await server.connect('ledger').client('INFO')).toMatch(/ name=limitline-ledger .* db=3 .* user=me /);
  });

  test.each([
    ['keeps every write', DURABLE, []],
    ['keeps no data on disk', [], [/appendonly off/]],
    [
      'writes to the disk once a second, and deletes keys when its memory is full',
      ['appendonly yes', 'maxmemory-policy allkeys-lru'],
      [/appendfsync everysec/, /policy allkeys-lru/],
    ],
    ['forbids CONFIG', [...DURABLE, 'rename-command CONFIG ""'], [/appendfsync cannot be checked/]],
  ])('gets one warning for each weakness if it %s', async (_name, config, warnings) => {
    const { url } = await fixture.start(config);
    const { log, lines } = makeKeptLog();
    await open(url, log);
    expect(lines.map(({ level }) => level)).toEqual(warnings.map(() => 'warn'));
    expect(lines.map(({ msg }) => msg)).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });

  test('that is a replica is refused, since it accepts no writes', async () => {
    const primary = await fixture.start();
    const replica = await fixture.start([`replicaof 127.0.0.1 ${primary.port}`]);
    await expect(open(replica.url)).rejects.toMatchObject({
      code: 'REDIS',
      message: expect.stringContaining('is a replica'),
    });
  });

  test('that does not answer fails after about 5 s with reason and remedy', async () => {
    const port = await freePort();
    const since = performance.now();
    await expect(open(`redis://me:secret@127.0.0.1:${port}`)).rejects.toMatchObject({
      code: 'REDIS',
      message: `Redis at redis://127.0.0.1:${port}/0 does not answer within 5 s (connect ECONNREFUSED 127.0.0.1:${port}); start it, or correct REDIS_URL.`,
    });
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  // Promise: loading-redis-awaited
  test('that is still loading its data is waited for, and that is said once', async () => {
    const { url, loading } = await startLoading(fixture);
    const { log, lines } = makeKeptLog();
    const server = await open(url, log);
    expect(await server.connect('ledger').get('key:0')).toMatch(/^value:0/);
    await loading;
    const words = expect.stringMatching(/^Redis at redis:.* is still loading its data; it is waited for/);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([['warn', words]]);
  });

  test('that is still loading its data is not waited for by a command that needs none of it', async () => {
    const { url, loading } = await startLoading(fixture);
    const { log, lines } = makeKeptLog();
    await expect(openRedis({ url, dataDir: '', log, awaitsData: false })).rejects.toMatchObject({
      code: 'REDIS',
      message: expect.stringMatching(/ is still loading its data\.$/),
    });
    expect(lines).toEqual([]);
    await loading;
  });

  test('that is still loading its data is waited for until the process is to end', async () => {
    const { url, loading } = await startLoading(fixture);
    const ending = new AbortController();
    const { log, lines } = makeKeptLog();
    const waiting = openRedis({ url, dataDir: '', log, awaitsData: ending.signal });
    const ended = expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
    await vi.waitFor(() => expect(lines).toHaveLength(1), WAIT);
    ending.abort();
    await ended;
    await loading;
  });

  test('that accepts connections and is silent fails after little more than 5 s', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const since = performance.now();
    await expect(open(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`)).rejects.toMatchObject({
      message: expect.stringContaining('does not answer within 5 s'),
    });
    expect(performance.now() - since).toBeLessThan(9_000);
  });

  test('that refuses the password fails at once', async () => {
    const { port } = await fixture.start(['requirepass right'], { access: { password: 'right' } });
    const fault = await open(`redis://:wrong@127.0.0.1:${port}`).catch((error) => error);
    expect(fault).toMatchObject({
      code: 'REDIS',
      message: expect.stringMatching(/refuses access \(WRONGPASS .*REDIS_URL/),
    });
    expect(fault.message).not.toContain('wrong@');
  });

  // Promise: redis-database-refused
  test.each([
    [
      'of a number that it does not have',
      [],
      '',
      '/99 refuses the database (ERR DB index is out of range); correct the number',
    ],
    [
      'that the user may not choose',
      ['user narrow on >secret ~* +@all -select'],
      'narrow:secret@',
      '/99 refuses access (NOPERM',
    ],
  ])('with a database %s is an error, and is not replaced by database 0', async (_which, settings, user, words) => {
    const { port } = await fixture.start(settings);
    const fault = await open(`redis://${user}127.0.0.1:${port}/99`).catch((error) => error);
    expect(fault).toMatchObject({ code: 'REDIS', message: expect.stringContaining(words) });
    expect(fault.message).not.toContain('secret');
  });

  test('that cannot save to its disk is said to take no writes, and not to be away', async () => {
    const { url, admin } = await fixture.start(['dbfilename given.rdb', 'enable-protected-configs yes']);
    await admin.config('SET', 'dir', '/proc', 'save', '3600 1');
    await admin.bgsave();
    await vi.waitFor(async () => expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'), WAIT);
    const fault = await open(url).catch((error) => error);
    expect(fault).toMatchObject({ code: 'REDIS', message: expect.stringMatching(/takes no writes.*\(MISCONF .*log/) });
    expect(fault.message).not.toMatch(/does not answer|start it/);
  });

  test('with an invalid address is an error of the settings', async () => {
    await expect(open('redis://localhost/main')).rejects.toMatchObject({ code: 'SETTINGS' });
  });
});

describe('a cluster', () => {
  test('accepts keys on all its nodes, and fails commands within seconds when all nodes are gone', async () => {
    const nodes = await fixture.startCluster();
    const { log, lines } = makeKeptLog();
    const server = await open(nodes.map(({ url }) => url).join(','), log);
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('appendonly off')]);
    const ledger = server.connect('ledger');
    const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`);
    await Promise.all(keys.map((key) => ledger.set(key, key)));
    expect(await Promise.all(keys.map((key) => ledger.get(key)))).toEqual(keys);
    await Promise.all(nodes.map((node) => node.kill()));
    await expect(ledger.set('later', '1')).rejects.toThrow();
    await vi.waitUntil(() => ledger.status === 'reconnecting', WAIT);
    await expect(ledger.set('later', '1')).rejects.toThrow('Command timed out');
  });

  test('given by a single address is refused with the right form', async () => {
    const { url } = await fixture.start(['cluster-enabled yes']);
    await expect(open(url)).rejects.toMatchObject({
      code: 'REDIS',
      message: expect.stringContaining('part of a cluster'),
    });
  });
});

describe('sentinels', () => {
  test('lead to the primary, and to its successor when it dies', async () => {
    const primary = await fixture.start(DURABLE);
    const replica = await fixture.start([...DURABLE, `replicaof 127.0.0.1 ${primary.port}`]);
    const sentinel = await fixture.start([
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds main 500',
    ]);
    const synced = () => replica.admin.info('replication').then((text) => text.includes('master_link_status:up'));
    await vi.waitFor(async () => expect(await synced()).toBe(true), WAIT);
    const known = async () => JSON.stringify(await sentinel.admin.call('SENTINEL', 'REPLICAS', 'main'));
    await vi.waitFor(async () => expect(await known()).toContain(String(replica.port)), WAIT);

    const server = await open(`redis+sentinel://127.0.0.1:${sentinel.port}/main/2`);
    expect(server.where).toBe(`redis+sentinel://127.0.0.1:${sentinel.port}/main/2`);
    const worker = server.connect('worker');
    await worker.set('before', '1');
    await worker.wait(1, 0);
    await primary.kill();
    await worker.set('after', '2');
    expect(await worker.mget('before', 'after')).toEqual(['1', '2']);
    expect(await replica.admin.info('replication')).toContain('role:master');
  });

  test('that do not answer fail after about 5 s', async () => {
    const port = await freePort();
    await expect(open(`redis+sentinel://127.0.0.1:${port}/main`)).rejects.toMatchObject({
      code: 'REDIS',
      message: expect.stringMatching(/is not found, since no sentinel leads to it \(.*start the sentinels.*REDIS_URL/),
    });
  });

  test.each([
    ['know no primary of the name', '', '', /is not known to its sentinels by that name \(ERR No such master/],
    ['want a password', 'requirepass secret', '', /has sentinels that refuse access \(NOAUTH /],
    [
      'want a password and are given a user',
      'requirepass secret',
      'me:other@',
      /has sentinels that refuse access \(NOAUTH /,
    ],
  ])('that %s are said to be the fault, with the remedy', async (_which, setting, user, words) => {
    const primary = await fixture.start(DURABLE);
    const access = setting === '' ? {} : { password: 'secret' };
    const watched = `sentinel monitor main 127.0.0.1 ${primary.port} 1`;
    const { port } = await fixture.start([watched, ...(setting === '' ? [] : [setting])], { access });
    const fault = await open(`redis+sentinel://${user}127.0.0.1:${port}/other`).catch((error) => error);
    expect(fault).toMatchObject({ code: 'REDIS', message: expect.stringMatching(words) });
    expect(fault.message).not.toMatch(/Retrying|does not answer|secret/);
  });

  test('take the place of a Redis, or the reverse, which is named with the right form', async () => {
    const primary = await fixture.start(DURABLE);
    const sentinel = await fixture.start([`sentinel monitor main 127.0.0.1 ${primary.port} 1`]);
    const { log, lines } = makeKeptLog();
    await expect(open(sentinel.url, log)).rejects.toMatchObject({
      message: expect.stringMatching(/ is a sentinel; write redis\+sentinel:/),
    });
    expect(lines).toEqual([]);
    await expect(open(`redis+sentinel://127.0.0.1:${primary.port}/main`)).rejects.toMatchObject({
      message: expect.stringMatching(/ has no sentinels there \(ERR unknown command/),
    });
    const strange = / lacks a command \(ERR unknown command 'select'\); it may be a sentinel/i;
    await expect(open(`${sentinel.url}/1`)).rejects.toMatchObject({ message: expect.stringMatching(strange) });
    const twice = `${primary.url},${primary.url}`;
    await expect(open(twice)).rejects.toMatchObject({
      message: expect.stringMatching(/ is no cluster .*give one address/),
    });
  });
});

describe('TLS', () => {
  test('is used with a certificate that the machine trusts, and refused with another one', async () => {
    const dir = fixture.makeDir();
    makeCertificate(dir);
    const port = await freePort();
    await fixture.start([
      ...DURABLE,
      `tls-port ${port}`,
      `tls-cert-file ${dir}/cert.pem`,
      `tls-key-file ${dir}/key.pem`,
      'tls-auth-clients no',
    ]);
    const url = `rediss://localhost:${port}`;
    await expect(open(url)).rejects.toMatchObject({
      code: 'REDIS',
      message: `Redis at ${url}/0 cannot be used: its certificate is signed by nobody known here: see NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    });
    const env = { ...process.env, REDIS_URL: url, NODE_EXTRA_CA_CERTS: join(dir, 'cert.pem') };
    const user = await own.user(own.makeDir(), { env });
    expect(await user.ask('incr')).toEqual({ count: 1 });
  });
});

async function open(url: string, log = makeSilentLog()): Promise<RedisServer> {
  const server = await openRedis({ url, dataDir: '/nowhere', log });
  opened.push(server);
  return server;
}

function makeCertificate(dir: string): void {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')];
  execFileSync('openssl', [...request, ...names, ...files], { stdio: 'ignore' });
}
