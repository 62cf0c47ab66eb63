import { expect, test } from 'vitest';
import type { Night, NightlyTask, NightResult } from '../../../jobs/nightly/run-task.ts';
import { openNights } from '../../support/nightly.ts';

const DUE_MS = Date.parse('2026-11-22T01:30:00Z');
const DAY_MS = 86_400_000;
const ENTRY = { task: 'reconcile', pattern: '30 2 * * *', tz: 'Europe/Berlin', sinceMs: 0 };

/** A task that records for which nights it was run. */
function makeTask(run: (night: Night) => Promise<NightResult> = async () => ({ is: 'well', words: 'Fine.' })) {
  const nights: Night[] = [];
  const task: NightlyTask = {
    name: 'reconcile',
    words: 'is tried',
    run: (night) => {
      nights.push(night);
      return run(night);
    },
  };
  return { task, nights };
}

test('a run is recorded in the audit trail and ends its night, and a second run of that night does nothing', async () => {
  const { runs, audit, runner } = openNights();
  const { task, nights } = makeTask(async () => ({ is: 'findings', words: 'Two things.', report: 'r1' }));
  const run = runner([task]);
  expect(await run({ dueMs: DUE_MS })).toBe('over');
  expect(await run({ dueMs: DUE_MS, isLastTry: true })).toBe('over');
  expect(nights).toMatchObject([{ id: '2026-11-22T01:30:00.000Z', atMs: DUE_MS, by: 'nightly' }]);
  expect(audit.noted).toEqual([
    {
      by: 'nightly',
      what: 'nightly task run',
      from: 'test',
      facts: { task: 'reconcile', night: '2026-11-22T01:30:00.000Z' },
      came: { result: 'findings', report: 'r1' },
    },
  ]);
  expect((await runs.read(['reconcile'])).reconcile?.last).toMatchObject({
    is: 'findings',
    report: 'r1',
    by: 'nightly',
  });
});

test('a late run counts for the latest missed night, and a run far ahead for its own', async () => {
  const { runs, runner } = openNights();
  await runs.hold([ENTRY]);
  const { task, nights } = makeTask();
  const run = runner([task], () => DUE_MS + 3 * DAY_MS + 1_000);
  await run({ dueMs: DUE_MS });
  // The other missed nights are not run one by one.
  for (const days of [1, 2, 3]) await run({ dueMs: DUE_MS + days * DAY_MS });
  await run({ dueMs: DUE_MS + 9 * DAY_MS });
  expect(nights.map(({ atMs }) => (atMs - DUE_MS) / DAY_MS)).toEqual([3, 9]);
});

test('a requested run has its own moment, and the name and address of the requester', async () => {
  const { runs, audit, runner } = openNights();
  await runs.hold([ENTRY]);
  const { task, nights } = makeTask();
  const run = runner([task], () => DUE_MS + DAY_MS);
  await run({ dueMs: DUE_MS + 5_000, by: 'ann', from: '192.0.2.7' });
  expect(nights).toMatchObject([{ atMs: DUE_MS + 5_000, by: 'ann', from: '192.0.2.7' }]);
  expect(audit.noted).toMatchObject([{ by: 'ann', what: 'nightly task run', from: '192.0.2.7' }]);
});

test.each<[string, () => Promise<NightResult>]>([
  ['throws', () => Promise.reject(new Error('no disk'))],
  ['reports a failure', async () => ({ is: 'failed', words: 'It could not be done: no disk' })],
])('a task that %s is retried, and its last try makes the night failed', async (_how, fail) => {
  const { runs, runner } = openNights();
  const { task, nights } = makeTask(fail);
  const run = runner([task]);
  expect(await run({ dueMs: DUE_MS })).toBe('again');
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({ last: undefined, underWay: { begun: 1 } });
  expect(await run({ dueMs: DUE_MS, isLastTry: true })).toBe('over');
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({
    last: { is: 'failed', words: 'It could not be done: no disk' },
    lastWell: undefined,
    underWay: undefined,
  });
  expect(await run({ dueMs: DUE_MS })).toBe('over');
  expect(nights).toHaveLength(2);
});

test('a stopped run is left to another process, which runs the same night', async () => {
  const { runs, runner } = openNights();
  const stopping = new AbortController();
  const { task, nights } = makeTask(({ signal }) => {
    stopping.abort(new Error('this process stops'));
    return Promise.reject(signal.reason);
  });
  expect(await runner([task])({ dueMs: DUE_MS, signal: stopping.signal, isLastTry: true })).toBe('elsewhere');
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({ last: undefined, underWay: undefined });
  const other = makeTask();
  expect(await runner([other.task])({ dueMs: DUE_MS })).toBe('over');
  expect(other.nights[0]?.id).toBe(nights[0]?.id);
});

test('a night in which ten processes died is given up as failed', async () => {
  const { runs, runner } = openNights();
  const night = { task: 'reconcile', id: new Date(DUE_MS).toISOString(), atMs: DUE_MS };
  for (let time = 0; time < 10; time += 1) {
    await runs.begin(night, { by: 'nightly', process: `p${time}`, host: 'h', sinceMs: DUE_MS });
  }
  const { task, nights } = makeTask();
  expect(await runner([task])({ dueMs: DUE_MS })).toBe('over');
  expect(nights).toEqual([]);
  expect((await runs.read(['reconcile'])).reconcile?.last).toMatchObject({
    is: 'failed',
    words: 'The task was given up after it began 10 times: most often its process ended before the task did.',
  });
});

test('an unknown task is retried for other processes, and fails on the last try with the reason', async () => {
  const { runs, runner } = openNights();
  const run = runner([]);
  expect(await run({ dueMs: DUE_MS })).toBe('again');
  expect(await run({ dueMs: DUE_MS, isLastTry: true })).toBe('over');
  expect((await runs.read(['reconcile'])).reconcile?.last?.words).toBe(
    'No task is called "reconcile"; this process is older than the schedule.',
  );
});

test('a task does not run if the audit trail cannot be written', async () => {
  const { audit, runner } = openNights();
  const { task, nights } = makeTask();
  audit.away = true;
  expect(await runner([task])({ dueMs: DUE_MS })).toBe('again');
  expect(nights).toEqual([]);
});
