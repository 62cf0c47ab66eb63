import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { openLedger } from '../support/ledger.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

/** Longer than the lock of a job, and than the six seconds after which a silent process counts as vanished. */
const LONGER_THAN_LOCK_MS = 7_000;

// Promises: holds-through-kills-and-loss, outage-refuses-no-row, outage-refuses-nothing
test('Redis that is killed three times during a run, once for longer than the job lock, costs no row and makes nothing twice', async () => {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({
    faults: { latencyMs: [10, 60] },
    env: { REDIS_URL: redis.url, SERVICE_CONCURRENCY: '4' },
  });
  await place.import(buyerLines(50));
  await Promise.all([place.work(), place.work()]);
  for (const [made, awayMs] of [
    [10, 0],
    [35, LONGER_THAN_LOCK_MS],
    [60, 0],
  ] as const) {
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(made);
    await redis.kill();
    await sleep(awayMs);
    await redis.restart();
  }
  expect((await place.judged(50)).states.done).toBe(50);
});

test('after an outage of Redis, the first process back does not count the others as vanished at once', async () => {
  const { connection, keys, calls, process } = openLedger();
  const thing = { kind: 'document', key: 'd-1', row: { portfolio: 'q4', key: 'r-1' } } as const;
  await calls.claim(thing, { owner: 'sender/1', onUnknown: 'hold' });
  // After an outage of Redis, no process has a recent heartbeat.
  const [seconds] = await connection.time();
  const before = (Number(seconds) - 60) * 1_000;
  await connection.zadd(keys.workers, before, 'sender', before + 500, 'other');
  const ask = () => calls.claim(thing, { owner: 'other/1', onUnknown: 'hold' });
  expect(await ask()).toEqual({ is: 'busy' });
  await process('other');
  expect(await ask()).toEqual({ is: 'busy' });
  // A process without a heartbeat after the outage counts as vanished in the end.
  await expect.poll(ask).toMatchObject({ is: 'unknown' });
});

// Promise: holds-through-kills-and-loss
test('connections to Redis that break before the reply lose no row and make nothing twice', async () => {
  const redis = await startKillableRedis();
  const proxy = await startCuttingProxy(redis.port);
  const place = await openFaultPlace({
    faults: { latencyMs: [10, 60] },
    env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, SERVICE_CONCURRENCY: '4' },
  });
  await place.import(buyerLines(40));
  await Promise.all([place.work(), place.work()]);
  for (const made of [10, 25, 40, 55]) {
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(made);
    proxy.cutReplies();
  }
  expect((await place.judged(40)).states.done).toBe(40);
});

test('Redis that is lost while a probe is answered costs no row', async () => {
  const redis = await startKillableRedis();
  // The first call gets a 429, so the second one is a probe, whose answer is reported to the pace.
  const place = await openFaultPlace({
    faults: { latencyMs: 300, rules: [{ on: 'company', fault: 'status', status: 429, times: 1 }] },
    env: { REDIS_URL: redis.url, SERVICE_CONCURRENCY: '1' },
  });
  await place.import(buyerLines(2));
  const worker = place.startFaulty({ moment: 'claimed', nth: 2, fault: 'tell' });
  await expect.poll(() => worker.output().stdout).toContain('claimed');
  await redis.kill();
  await expect.poll(() => worker.output().stderr).toMatch(/pace could not be told|does not answer/);
  await redis.restart();
  expect((await place.judged(2)).states.done).toBe(2);
});
