import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { makeFleet, OFF_DUTY_AFTER_MS } from '../../../src/ledger/calls/fleet.ts';
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

test('who gave a sign lately is on duty, and nobody else: not who is gone, and none by a clock that went back', async () => {
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

test('a process is seen with its version and what it does, and hears what is wished of it', async () => {
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
