import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startDelivering } from '../../../jobs/notices/deliver.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeOutbox } from '../../../src/notices/outbox.ts';
import { deliversTo, GOES_ON } from '../../support/delivering.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { makeState } from '../../support/outbox.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';

// Promise: no-notice-lost-by-restart
test('where Redis is killed while a notice is being sent, it is noted when Redis is back, and sent once; then all goes on', async () => {
  const redis = await startKillableRedis();
  const connection = new Redis({
    port: redis.port,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    commandTimeout: 500,
  });
  connection.on('error', () => {});
  onTestFinished(() => connection.disconnect());
  const outbox = makeOutbox({ connection, keys: makeKeys(freshPrefix(), 'a'), ways: ['webhook'] });
  const receiver = await startReceiver(async (answer) => {
    receiver.react((later) => later.end());
    await redis.kill();
    answer.end();
  });
  await outbox.report([makeState('1')]);
  const { deps, lines } = deliversTo(receiver.url, outbox);
  const { stop } = startDelivering(deps, { log: deps.log, signal: GOES_ON.signal });
  await expect.poll(() => lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/does not answer to/));
  await redis.restart();
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('notice delivered');
  // A restart forgets nothing, neither what was told nor what was delivered.
  expect(await outbox.report([makeState('1'), makeState('2')])).toBe(1);
  await expect.poll(() => receiver.received).toHaveLength(2);
  await stop();
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
});
