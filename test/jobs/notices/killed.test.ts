import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { deliverOnce, startDelivering } from '../../../jobs/notices/deliver.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeOutbox } from '../../../src/notices/outbox.ts';
import { bundled } from '../../support/bundle.ts';
import { COMPILED } from '../../support/command.ts';
import { connectRedis, freshPrefix } from '../../support/ledger.ts';
import { deliversTo, GOES_ON, makeState, startReceiver } from '../../support/outbox.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { redisUrl } from '../../support/redis/own-database.ts';

const PROCESS = bundled('deliver-process');
const ACCOUNT = 'https://test.example';

// Promises: no-notice-lost-by-restart, repeated-notice-same-id
test.each([
  ['before it sends', 'before', 1],
  ['while the receiver has not answered yet', 'during', 2],
  ['after the answer, before it could note it', 'after', 2],
])(
  'a notice whose process was killed %s is sent by another after the lease, under the same id',
  async (_, moment, times) => {
    const connection = connectRedis();
    const [prefix, keys] = ((name) => [name, makeKeys(name, ACCOUNT)] as const)(freshPrefix());
    const outbox = makeOutbox({ connection, keys, ways: ['webhook'] });
    let child: ChildProcess | undefined;
    const receiver = await startReceiver((answer) => {
      if (moment === 'during' && child?.signalCode === null) child.kill('SIGKILL');
      else answer.end();
    });
    await outbox.report([makeState('1')]);
    const [{ id } = { id: '' }] = await outbox.lately();
    child = spawn(process.execPath, [PROCESS, redisUrl(), prefix, ACCOUNT, receiver.url, moment], {
      stdio: 'ignore',
      env: { ...process.env, ...COMPILED },
    });
    onTestFinished(() => void child?.kill('SIGKILL'));
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    const { deps } = deliversTo(receiver.url, outbox);
    // No process takes the notice before the lease ends.
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 0, failed: 0 });
    expect(await outbox.lately()).toMatchObject([{ id, deliveries: [{ is: 'sending', tries: 1 }] }]);
    await connection.zadd(keys.outbox('webhook'), 'XX', 0, id);
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 1 });
    expect(receiver.received.map((one) => one.id)).toEqual(Array(times).fill(id));
    expect(await outbox.lately()).toMatchObject([{ id, deliveries: [{ is: 'delivered', tries: 2 }] }]);
  },
);

// Promise: no-notice-lost-by-restart
test('a notice sent while Redis is killed is recorded after its restart, and not sent twice', async () => {
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
  // After the restart, the reported state and the delivery are still known.
  expect(await outbox.report([makeState('1'), makeState('2')])).toBe(1);
  await expect.poll(() => receiver.received).toHaveLength(2);
  await stop();
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
});
