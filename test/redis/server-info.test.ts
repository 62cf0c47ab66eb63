import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { probe } from '../../src/redis/own/membership.ts';
import { checkVersion, readInfo } from '../../src/redis/server-info.ts';

test.each(['7.0.0', '7.0.15', '7.2.4', '10.0.0'])('version %s is new enough', (version) => {
  expect(() => checkVersion({ redis_version: version }, 'Redis here')).not.toThrow();
});

test.each([
  ['5.0.14', 'Redis here is version 5.0.14; Limitline needs 7.0 or later: update it.'],
  ['6.2.19', 'Redis here is version 6.2.19; Limitline needs 7.0 or later: update it.'],
  [undefined, 'Redis here is version unknown; Limitline needs 7.0 or later: update it.'],
])('version %s is too old', (version, message) => {
  const info = version === undefined ? {} : { redis_version: version };
  expect(() => checkVersion(info, 'Redis here')).toThrow(expect.objectContaining({ code: 'REDIS', message }));
});

test('the fields of INFO are read, also values with colons', async () => {
  const found = await probe(inject('redisSocket'));
  if (found.is !== 'ready') throw new Error(`the tests' Redis is ${found.is}`);
  onTestFinished(() => found.connection.disconnect());
  const info = await readInfo(found.connection);
  expect(info).toMatchObject({ run_id: found.info.run_id, loading: '0', maxmemory_policy: 'noeviction' });
  await found.connection.set(`server-info:${randomUUID()}`, '1', 'EX', 60);
  expect((await readInfo(found.connection)).db0).toMatch(/^keys=\d+,/);
});
