import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { depthFor } from '../../jobs/rows/feed.ts';
import { STOP_DEADLINE_MS, workerConcurrency } from '../../jobs/workers/workers.ts';
import { CALL_KINDS } from '../../src/call-kind.ts';
import { QUEUES } from '../../src/queue/queues.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callOptions, makeClient } from '../support/client.ts';
import { type FaultPlace, openFaultPlace } from '../support/fault-place.ts';
import { makeRequest } from '../support/ledger.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { testsBeside } from '../support/tests-beside.ts';

const test = testsBeside();

/** Every call is answered with a wait of an hour. */
const ASKS_FOR_AN_HOUR: FaultChange = {
  rules: (['company', 'limit'] as const).map((on) => ({
    on,
    fault: 'status',
    status: 429,
    headers: { 'retry-after': '3600' },
  })),
};

/** Long enough for everything that a worker does once a second or every few seconds. */
const MEASURED_MS = 6_000;

// Promise: long-wait-asks-little
test('workers send few commands to Redis during a wait of an hour, and continue as soon as it is over', async () => {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  await putRows(place, 3_000);
  await place.work();
  await untilResting(place);

  const [before, since] = [await asked(redis.admin), performance.now()];
  const hits = place.standIn.faultHits();
  await sleep(MEASURED_MS);
  expect(place.standIn.faultHits(), 'calls meanwhile').toEqual(hits);
  const perS = ((await asked(redis.admin)) - before) / ((performance.now() - since) / 1_000);
  // All commands count, also those of scripts.
  expect(perS).toBeLessThan(100);
  // By the time a worker puts its rows back, new jobs may have been made for them.
  const inHand = QUEUES.length * workerConcurrency(place.context.settings.SERVICE_CONCURRENCY);
  expect(await place.context.queues.depth()).toBeLessThanOrEqual(depthFor(0) + inHand);
  expect((await place.report()).states.refused).toBe(0);

  await place.standIn.setFaults({ rules: [] });
  await endWait(place);
  // A worker that had not noticed the end would sleep for an hour.
  await expect.poll(place.madeCount).toBeGreaterThan(5);
  expect(place.standIn.madeTwice()).toEqual([]);
});

test('a process stops at once during a long wait, and the rows of a killed one continue elsewhere', async () => {
  const place = await openFaultPlace({ env: { LOG_LEVEL: 'info' } });
  await putRows(place, 150);
  const [stopped, killed] = [place.startWorker(), place.startWorker()];
  for (const { output } of [stopped, killed]) await expect.poll(() => output().stderr).toContain('"msg":"working"');
  await untilWaiting(place);
  // Calls that were in flight at the beginning of the wait are answered soon.
  await expect.poll(() => claimed(place)).toBe(0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const signalledAt = performance.now();
  stopped.child.kill('SIGTERM');
  expect(await stopped.ended).toMatchObject({ status: 0 });
  // Waiting for calls in flight would take the whole deadline.
  expect(performance.now() - signalledAt).toBeLessThan(STOP_DEADLINE_MS);
  // A row that got its permit before the wait may have been claimed since.
  const inDoubt = await claimed(place);

  await place.standIn.setFaults({ rules: [] });
  // Without the learned pace, the rest is done soon.
  await place.context.ledger.del(place.context.keys.pace);
  await place.work();
  const { states } = await place.judged(150);
  expect(states.done + states.held).toBe(150);
  // Only the calls in flight of the killed process are in doubt.
  expect(states.held).toBe(inDoubt);
});

/** Stores so many rows, every other one with a known company, so that two queues are full; then starts the wait. */
async function putRows({ context, standIn }: FaultPlace, count: number): Promise<void> {
  const known = await makeClient(standIn.url()).createCompany({ name: 'Known AG' }, callOptions());
  const companyId = known.is === 'made' ? known.id : '';
  const importing = await context.portfolios.startImport('q4', { id: 'i', fileName: 'f.csv', reading: '{}' });
  const put = (n: number) => {
    const company = n % 2 === 0 ? { company: { name: `B${n}` } } : { companyId };
    const limit = { requested_limit: String(1_000 + n) };
    const request = makeRequest({ buyer: `buyer-${n}`, ...company, limit });
    return context.rows.put({ portfolio: 'q4', key: `row-${n}` }, n + 2, 'i', request);
  };
  // In portions, so that a busy machine finishes them before a command times out.
  for (let from = 0; from < count; from += 250) {
    await Promise.all(Array.from({ length: Math.min(250, count - from) }, (_, n) => put(from + n)));
  }
  await importing.end();
  await standIn.setFaults(ASKS_FOR_AN_HOUR);
}

async function untilWaiting({ context }: FaultPlace): Promise<void> {
  await expect.poll(async () => Number(await context.ledger.hget(context.keys.pace, 'until'))).toBeGreaterThan(0);
}

/** Waits until calls wait and the workers rest, with all their rows put back. */
async function untilResting(place: FaultPlace): Promise<void> {
  await untilWaiting(place);
  await expect.poll(() => active(place)).toBe(0);
}

/** Ends the wait early. */
async function endWait(place: FaultPlace): Promise<void> {
  await place.context.ledger.hset(place.context.keys.pace, { until: 0, tryAt: 0 });
}

/** Jobs that are running and wait for their permit. */
async function active({ context }: FaultPlace): Promise<number> {
  const lists = QUEUES.map((queue) => `${context.keys.queuePrefix(queue)}:${queue}:active`);
  const counts = await Promise.all(lists.map((list) => context.ledger.llen(list)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Calls that are claimed. */
async function claimed({ context: { ledger, keys } }: FaultPlace): Promise<number> {
  const calls = (await Promise.all(CALL_KINDS.map((kind) => ledger.keys(`${keys.call(kind, '')}*`)))).flat();
  const states = await Promise.all(calls.map((call) => ledger.hget(call, 'state')));
  return states.filter((state) => state === 'claimed').length;
}

/** The number of commands that this Redis has run. */
async function asked(admin: Redis): Promise<number> {
  const stats = await admin.info('commandstats');
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
