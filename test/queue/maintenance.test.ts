import { expect, onTestFinished, test, vi } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { makeMaintenance, type Scheduled } from '../../src/queue/maintenance.ts';
import { type MaintenanceRun, type RunEnding, startMaintenanceWorker } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

const DAY_MS = 86_400_000;
const NIGHTLY: Scheduled = { task: 'reconcile', pattern: '30 2 * * *', tz: 'Europe/Berlin' };

/** A queue of its own, and workers as in other processes. */
function openQueue() {
  const prefix = `{${freshPrefix()}}`;
  const queue = makeMaintenance({ connection: connectRedis(), prefix, nextMoment, retryMs: 1 });
  onTestFinished(() => queue.close());
  const runs: MaintenanceRun[] = [];
  return {
    queue,
    prefix,
    /** What the workers ran so far, in order. */
    runs,
    start(run: (run: MaintenanceRun) => Promise<RunEnding> = async () => 'over') {
      const worker = startMaintenanceWorker({
        connection: connectRedis(),
        prefix,
        nextMoment,
        log: makeSilentLog(),
        lockMs: 1_000,
        run: (given) => {
          runs.push(given);
          return run(given);
        },
      });
      onTestFinished(() => worker.stop());
      return worker;
    },
  };
}

/** Sets the clock for the rest of the test; timers continue as usual. */
function setClock(text: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(text) });
  onTestFinished(() => void vi.useRealTimers());
}

const nextText = async (queue: ReturnType<typeof openQueue>['queue']) =>
  (await queue.next()).map(({ task, atMs }) => `${task} ${new Date(atMs).toISOString().slice(0, 16)}`);

test('keep adds, changes and removes schedulers to match the schedule, and leaves the others alone', async () => {
  setClock('2026-11-22T12:00:00Z');
  const { queue } = openQueue();
  const retry: Scheduled = { task: 'retry', pattern: '0 4 * * *', tz: 'UTC' };
  expect(await queue.keep([NIGHTLY, retry])).toBe(2);
  expect(await nextText(queue)).toEqual(['reconcile 2026-11-23T01:30', 'retry 2026-11-23T04:00']);
  expect(await queue.keep([NIGHTLY, retry])).toBe(0);
  expect(await queue.keep([{ ...NIGHTLY, pattern: '30 3 * * *' }])).toBe(3);
  expect(await nextText(queue)).toEqual(['reconcile 2026-11-23T02:30']);
  expect(await queue.keep([])).toBe(1);
  expect(await nextText(queue)).toEqual([]);
});

// Promise: repeated-hour-runs-once
test.each([
  ['in the night without 02:30', '2026-03-28T12:00Z', ['2026-03-29T01:30', '2026-03-30T00:30', '2026-03-31T00:30']],
  ['in the night with two 02:30', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30']],
])("BullMQ's scheduler runs once %s, at the moments of the schedule", async (_when, from, moments) => {
  setClock(from);
  const { queue, start, runs } = openQueue();
  await queue.keep([NIGHTLY]);
  for (const [place, moment] of moments.entries()) {
    expect(await nextText(queue)).toEqual([`reconcile ${moment}`]);
    setClock(`${moment}:01Z`);
    const worker = start();
    await expect
      .poll(() => runs.map(({ dueMs }) => new Date(dueMs).toISOString().slice(0, 16)))
      .toEqual(moments.slice(0, place + 1));
    await worker.stop();
  }
});

// Promise: night-ends-once
test('five processes run what is due once, one run at a time', async () => {
  setClock('2026-11-22T12:00:00Z');
  const { queue, start, runs } = openQueue();
  const tasks = ['audit', 'retry', 'reconcile'];
  await queue.keep(tasks.map((task) => ({ task, pattern: '30 2 * * *', tz: 'UTC' })));
  setClock('2026-11-23T02:30:01Z');
  let [now, most, ended] = [0, 0, 0];
  const run = async (): Promise<RunEnding> => {
    now += 1;
    most = Math.max(most, now);
    // Long enough for the others to start a run too, if they could.
    await new Promise((resolve) => setTimeout(resolve, 30));
    now -= 1;
    ended += 1;
    return 'over';
  };
  for (let place = 0; place < 5; place += 1) start(run);
  await expect.poll(() => ended).toBe(3);
  expect(runs.map(({ task }) => task).sort()).toEqual([...tasks].sort());
  expect(most).toBe(1);
});

test('after days without a process one run catches up, and the next one is the next night', async () => {
  setClock('2026-11-20T12:00:00Z');
  const { queue, start, runs } = openQueue();
  await queue.keep([NIGHTLY]);
  setClock('2026-11-25T12:00:00Z');
  // A start checks the schedule first, and must not drop overdue runs.
  expect(await queue.keep([NIGHTLY])).toBe(0);
  start();
  start();
  await expect.poll(() => nextText(queue)).toEqual(['reconcile 2026-11-26T01:30']);
  await expect.poll(() => runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({ task: 'reconcile', by: undefined, dueMs: Date.parse('2026-11-21T01:30Z') });
});

test('a run that lasts beyond its next moments is followed by a single run', async () => {
  setClock('2026-11-22T12:00:30Z');
  const { queue, start, runs } = openQueue();
  const inbox: Scheduled = { task: 'inbox', pattern: '* * * * *', tz: 'UTC' };
  await queue.keep([inbox]);
  setClock('2026-11-22T12:01:01Z');
  const first = Promise.withResolvers<RunEnding>();
  const worker = start(() => (runs.length === 1 ? first.promise : Promise.resolve('over')));
  await expect.poll(() => runs).toHaveLength(1);
  setClock('2026-11-22T12:07:01Z');
  first.resolve('over');
  await expect.poll(() => runs).toHaveLength(2);
  await expect.poll(() => nextText(queue)).toEqual(['inbox 2026-11-22T12:08']);
  await worker.stop();
  expect(runs).toHaveLength(2);
});

test('a scheduler that a wrong clock moved into the future, or whose job was lost, is created again', async () => {
  setClock('2026-12-22T12:00:00Z');
  const { queue, prefix } = openQueue();
  await queue.keep([NIGHTLY]);
  setClock('2026-11-22T12:00:00Z');
  expect(await queue.keep([NIGHTLY])).toBe(1);
  expect(await nextText(queue)).toEqual(['reconcile 2026-11-23T01:30']);
  const connection = connectRedis();
  const [job = ''] = await connection.keys(`${prefix}:maintenance:repeat:*:*`);
  await connection.del(job, `${prefix}:maintenance:delayed`);
  expect(await queue.keep([NIGHTLY])).toBe(1);
  expect(await queue.keep([NIGHTLY])).toBe(0);
  await connection.del(...(await connection.keys(`${prefix}:maintenance:*`)));
  expect(await queue.keep([NIGHTLY])).toBe(1);
  expect(await nextText(queue)).toEqual(['reconcile 2026-11-23T01:30']);
});

test('a failed run is tried twice more, and the last try is marked', async () => {
  const { queue, start, runs } = openQueue();
  await queue.oneAtATime();
  start(async () => 'again');
  await queue.add({ task: 'reconcile', dueMs: 1_000 });
  await expect.poll(() => runs.map(({ isLastTry }) => isLastTry)).toEqual([false, false, true]);
  // The job is deleted then, so that the same run can be requested once more.
  await expect
    .poll(async () => {
      await queue.add({ task: 'reconcile', dueMs: 1_000 });
      return runs.length;
    })
    .toBeGreaterThan(3);
});

test('a run that is requested several times while it waits runs once, with the name of the first requester', async () => {
  const { queue, start, runs } = openQueue();
  await queue.oneAtATime();
  for (let time = 0; time < 3; time += 1) await queue.add({ task: 'retry', dueMs: 5_000, by: 'ann' });
  await queue.add({ task: 'audit', dueMs: 5_000 });
  start();
  await expect
    .poll(() => runs.map(({ task, dueMs, by }) => ({ task, dueMs, by })))
    .toEqual([
      { task: 'retry', dueMs: 5_000, by: 'ann' },
      { task: 'audit', dueMs: 5_000, by: undefined },
    ]);
});

test('a run whose lock was lost is told to stop, since another process may run it', async () => {
  const { queue, start, runs, prefix } = openQueue();
  await queue.oneAtATime();
  start(({ signal }) => {
    if (runs.length > 1) return Promise.resolve('over');
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('elsewhere')));
  });
  await queue.add({ task: 'reconcile', dueMs: 7 });
  await expect.poll(() => runs).toHaveLength(1);
  await connectRedis().del(`${prefix}:maintenance:reconcile/7:lock`);
  await expect.poll(() => runs[0]?.signal.aborted).toBe(true);
  await expect.poll(() => runs).toHaveLength(2);
});

test('a process that stops hands its run to another one at once', async () => {
  const { queue, start, runs } = openQueue();
  await queue.oneAtATime();
  const stopped = start(
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('elsewhere'))),
  );
  await queue.add({ task: 'reconcile', dueMs: DAY_MS });
  await expect.poll(() => runs).toHaveLength(1);
  await stopped.stop();
  start();
  await expect.poll(() => runs).toHaveLength(2);
  expect(runs[1]).toMatchObject({ dueMs: DAY_MS, isLastTry: false });
});
