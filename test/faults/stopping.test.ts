import { test as alone, expect } from 'vitest';
import { STOP_DEADLINE_MS } from '../../jobs/workers/workers.ts';
import { openDesk } from '../support/desk.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

// Promise: calls-awaited-at-a-stop
alone('after SIGTERM under load, work waits for its calls in flight, ends with 0 and holds no row', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: [50, 250] }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(40));
  const { child, ended } = place.startWorker();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(10);
  // `timeout` and a closed terminal send several signals of several kinds at once.
  for (const name of ['SIGTERM', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGHUP'] as const) child.kill(name);
  expect(await ended).toMatchObject({ status: 0 });
  const { states } = await place.report();
  expect(states).toMatchObject({ held: 0, refused: 0 });
  expect(states.done).toBeLessThan(40);

  await place.work();
  expect((await place.judged(40)).states.done).toBe(40);
});

test('SIGTERM ends work at once while the token endpoint is silent, and no row is held', async () => {
  const place = await openFaultPlace({
    faults: { rules: [{ on: 'token', fault: 'silence' }] },
    env: { LOG_LEVEL: 'warn' },
  });
  await place.import(buyerLines(10));
  const { child, ended, output } = place.startWorker();
  await expect.poll(() => place.standIn.faultHits()).toEqual([1]);
  const signalledAt = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ status: 0 });
  // Waiting for the token would take the whole deadline of calls in flight.
  expect(performance.now() - signalledAt).toBeLessThan(STOP_DEADLINE_MS);
  expect(output().stderr).not.toContain('held');
  await place.standIn.setFaults({ rules: [] });
  await place.work();
  expect((await place.judged(10)).states.done).toBe(10);
});

// Promise: second-signal-cuts-off
test('a second signal after two seconds ends work at once, and only rows with calls in flight are held', async () => {
  const place = await openFaultPlace({
    faults: { rules: [{ on: 'limit', fault: 'silence', made: true, times: 4 }] },
    env: { SERVICE_CONCURRENCY: '4', LOG_LEVEL: 'info' },
  });
  await place.import(buyerLines(10));
  const { child, ended, output } = place.startWorker();
  await expect.poll(() => place.standIn.faultHits()).toEqual([4]);
  const signalledAt = performance.now();
  child.kill('SIGTERM');
  await expect.poll(() => output().stderr).toContain('stopping');
  // Repeated signals within the two seconds have no effect.
  const again = () => {
    child.kill('SIGTERM');
    return child.exitCode;
  };
  await expect.poll(again, { interval: 200 }).toBe(130);
  await ended;
  const tookMs = performance.now() - signalledAt;
  expect(output().stderr).toContain('calls under way were cut off. To go on, run the same command again;');
  // The exit came after the first signal, so at least two seconds have passed.
  expect(tookMs).toBeGreaterThan(1_900);
  // After the first signal alone, calls in flight would get their whole deadline.
  expect(tookMs).toBeLessThan(STOP_DEADLINE_MS);

  await place.work();
  expect((await place.judged(10)).states).toMatchObject({ held: 4, done: 6 });
  await place.resolveHeld();
  expect((await place.judged(10)).states.done).toBe(10);
});

test.each([
  ['run', ['run', 'q4.csv']],
  ['work', ['work']],
])('with --json, %s says on standard output that a second signal ended it', async (_name, args) => {
  const { start, limitline, standIn } = await openDesk(2, {
    rules: [{ on: 'limit', fault: 'silence', made: true }],
  });
  await limitline('import', 'q4.csv');
  const { child, ended } = start(...args, '--json');
  await expect.poll(() => standIn.faultHits()).toEqual([2]);
  const again = () => {
    child.kill('SIGTERM');
    return child.exitCode;
  };
  await expect.poll(again, { interval: 200 }).toBe(130);
  const error = expect.stringMatching(/^stopped at once: .* will be held\.$/);
  expect(JSON.parse((await ended).stdout)).toEqual({ error, status: 130 });
});
