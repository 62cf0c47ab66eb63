import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { countReplicas, makeExpectedReplicas } from '../../src/redis/replicas.ts';
import { WAIT } from '../support/redis/own-fixture.ts';
import { type GivenServer, makeServerFixture } from '../support/redis/server-fixture.ts';
import { makeKeptLog } from '../support/workplace.ts';

const fixture = makeServerFixture();
afterAll(fixture.clean);

const replica = (port: number, fields: string) => `ip=10.0.0.1,port=${port},${fields}`;

test.each([
  ['none', {}, 0],
  ['one that is online', { slave0: replica(6379, 'state=online,offset=1,lag=0') }, 1],
  ['one that loads the data', { slave0: replica(6379, 'state=wait_bgsave,offset=0,lag=9') }, 1],
  ['one with two connections', { slave0: replica(1, 'state=online,lag=0'), slave1: replica(1, 'state=send_bulk') }, 1],
  ['no program that fetches a copy', { slave0: replica(0, 'state=send_bulk') }, 0],
  [
    'the successor of a replica that is gone',
    { slave0: replica(1, 'state=online,lag=9'), slave1: replica(2, 'state=online,lag=1') },
    1,
  ],
  ['two, among other fields', { slave0: replica(1, 'lag=0'), slave1: replica(2, 'lag=0'), slave_repl_offset: '7' }, 2],
])('countReplicas counts %s', (_what, info, count) => {
  expect(countReplicas(info)).toBe(count);
});

// Promise: all-replicas-know-first
test('the largest number of replicas that any process saw is expected, also when they are gone', async () => {
  const primary = await fixture.start(['repl-diskless-sync-delay 0']);
  const key = randomUUID();
  const { log, lines } = makeKeptLog();
  const first = makeExpectedReplicas({ connection: connect(primary), key, fixed: undefined, log });
  expect(await first()).toBe(0);
  expect(lines).toEqual([]);

  const replicas = [await fixture.startReplicaOf(primary), await fixture.startReplicaOf(primary)];
  // They are noticed within some seconds, without a wait.
  await vi.waitUntil(async () => (await first()) === 2, WAIT);
  expect(lines).toMatchObject([{ level: 'info', replicas: 2 }]);

  await Promise.all(replicas.map((server) => server.kill()));
  await vi.waitUntil(async () => (await primary.admin.info('replication')).includes('connected_slaves:0'), WAIT);
  const later = makeExpectedReplicas({ connection: connect(primary), key, fixed: undefined, log });
  expect(await later()).toBe(2);
});

// Promise: all-replicas-know-first
test('a number of replicas in the settings is used without asking Redis', async () => {
  const connection = new Redis({ lazyConnect: true });
  const { log } = makeKeptLog();
  expect(makeExpectedReplicas({ connection, key: 'key', fixed: 0, log })()).toBe(0);
  expect(connection.status).toBe('wait');
});

test('the first question fails if Redis refuses it, and the next one asks again', async () => {
  const primary = await fixture.start();
  const { log } = makeKeptLog();
  const connection = connect(primary);
  const expected = makeExpectedReplicas({ connection, key: 'key', fixed: undefined, log });
  await primary.admin.set('key', 'no sorted set');
  await expect(expected()).rejects.toThrow('WRONGTYPE');
  await primary.admin.del('key');
  expect(await expected()).toBe(0);
});

function connect({ port }: GivenServer): Redis {
  const connection = new Redis({ port });
  onTestFinished(() => connection.disconnect());
  return connection;
}
