import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { probe } from '../../src/redis/own-probe.ts';
import { checkVersion, readInfo } from '../../src/redis/server-info.ts';

test.each(['6.2.0', '6.10.1', '7.0.15', '10.0.0'])('version %s will do', (version) => {
  expect(() => checkVersion({ redis_version: version }, 'Redis here')).not.toThrow();
});

test.each([
  ['5.0.14', 'Redis here is version 5.0.14; Limitline needs 6.2 or later: update it.'],
  ['6.0.16', 'Redis here is version 6.0.16; Limitline needs 6.2 or later: update it.'],
  [undefined, 'Redis here is version unknown; Limitline needs 6.2 or later: update it.'],
])('version %s is too old', (version, message) => {
  const info = version === undefined ? {} : { redis_version: version };
  expect(() => checkVersion(info, 'Redis here')).toThrow(expect.objectContaining({ code: 'REDIS', message }));
});

test('reads what a server says of itself, values with colons included', async () => {
  const found = await probe(inject('redisSocket'));
  if (found.is !== 'ready') throw new Error(`the tests' Redis is ${found.is}`);
  onTestFinished(() => found.connection.disconnect());
  const info = await readInfo(found.connection);
  expect(info).toMatchObject({ run_id: found.info.run_id, loading: '0', maxmemory_policy: 'noeviction' });
  await found.connection.set(`server-info:${randomUUID()}`, '1', 'EX', 60);
  expect((await readInfo(found.connection)).db0).toMatch(/^keys=\d+,/);
});
