import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { countLiving, makeFleet, OFF_DUTY_AFTER_MS } from '../../../src/ledger/calls/fleet.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { readBuild } from '../../../src/version.ts';
import { openLedger } from '../../support/ledger.ts';

function openFleet() {
  const { connection, keys } = openLedger();
  const of = (processId: string) => {
    const fleet = makeFleet({ connection, keys, processId, log: makeSilentLog() });
    onTestFinished(() => fleet.leave());
    return fleet;
  };
  return { connection, keys, of };
}

test('a process is on duty if its last heartbeat is recent, but not if it is gone or its clock is ahead', async () => {
  const { connection, keys, of } = openFleet();
  const [one, two] = [of('p1'), of('p2')];
  expect(await one.onDuty()).toEqual([]);
  const sign = (ms: number) => `${Date.now() + ms} ${JSON.stringify({ role: 'nightly', version: '1', host: 'h' })}`;
  await connection.hset(keys.fleet, { gone: sign(-OFF_DUTY_AFTER_MS - 1_000), ahead: sign(3_600_000) });
  expect(await one.onDuty()).toEqual([]);
  await one.join('nightly');
  await two.join('nightly');
  await of('p3').join('work');
  const found = await one.onDuty();
  expect(found.map(({ process, host }) => [process, host]).sort()).toEqual([
    ['p1', hostname()],
    ['p2', hostname()],
  ]);
  expect(found.every(({ agoMs }) => agoMs >= 0 && agoMs < OFF_DUTY_AFTER_MS)).toBe(true);
  expect(await connection.hexists(keys.fleet, 'ahead')).toBe(0);
  await one.leave();
  expect((await two.onDuty()).map(({ process }) => process)).toEqual(['p2']);
});

test('the fleet lists a process with its version and state, and passes instructions on to it', async () => {
  const { connection, keys, of } = openFleet();
  const heard: boolean[] = [];
  const worker = of('w');
  await worker.join('work', {
    now: () => ({ state: 'quiet', inHand: 3 }),
    onInstruction: (isQuiet) => heard.push(isQuiet),
  });
  const console = of('c');
  expect(await console.read()).toMatchObject([
    { id: 'w', role: 'work', version: readBuild(), pid: process.pid, state: 'quiet', inHand: 3 },
  ]);
  expect(await console.instruct('nobody', 'quiet')).toBe(false);
  expect(heard).toEqual([]);
  expect(await console.instruct('w', 'quiet')).toBe(true);
  await expect.poll(() => heard).toEqual([true]);
  await console.instruct('w', 'resume');
  await expect.poll(() => heard).toEqual([true, false]);
  await worker.leave();
  expect(await connection.exists(keys.fleet)).toBe(0);
});

const limit = { kind: 'limit', key: 'request-1', row: { portfolio: 'q4', key: 'row-1' } } as const;

test('heartbeats from the future, after a clock went back, make no process vanish and keep none alive', async () => {
  const { calls, connection, keys, process } = openLedger();
  const { vanish } = await process('a');
  await process('b');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  // As written before the clock went back an hour: both processes had just sent a heartbeat.
  for (const name of ['a', 'b']) await connection.zincrby(keys.workers, 3_600_000, name);
  await expect.poll(async () => Number(await connection.zscore(keys.workers, 'a'))).toBeLessThan(Date.now() + 10_000);
  expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toEqual({ is: 'busy' });
  await vanish();
  expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
});

test('only workers with a recent heartbeat of their own are counted as living', async () => {
  const { connection, keys, of } = openFleet();
  const living = () => countLiving({ connection, keys });
  expect(await living()).toBe(0);
  const [one, two] = [of('one'), of('two')];
  for (const worker of [one, two]) await worker.join('work');
  await of('console').join('console');
  // A killed process whose claims still count as its own, since no other could miss it.
  await connection.hset(keys.fleet, 'killed', `${Date.now() - 10_000} ${JSON.stringify({ role: 'work' })}`);
  await connection.zadd(keys.workers, Date.now(), 'killed');
  expect(await living()).toBe(2);
  await one.leave();
  expect(await living()).toBe(1);
});
