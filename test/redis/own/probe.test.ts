import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { probe } from '../../../src/redis/own/membership.ts';
import { makeOwnFixture } from '../../support/redis/own-fixture.ts';

const fixture = makeOwnFixture();
afterEach(fixture.clean);

test('a server at its maximum of connections is reported as full', async () => {
  const dataDir = fixture.makeDir();
  await fixture.user(dataDir);
  const path = join(dataDir, 'redis', 'redis.sock');
  const one = new Redis({ path });
  const count = String(await one.call('CLIENT', 'LIST')).split(/\n(?=id=)/).length;
  await one.config('SET', 'maxclients', count);
  expect(await probe(path)).toEqual({ is: 'full' });
  one.disconnect();
});

test('a missing socket is reported as absent', async () => {
  expect(await probe(join(fixture.makeDir(), 'redis.sock'))).toEqual({ is: 'absent' });
});
