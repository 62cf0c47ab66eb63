import { expect, test } from 'vitest';
import { makeNightlyRuns, type RunEnd } from '../../../src/ledger/nightly/nightly-runs.ts';
import { openLedger } from '../../support/ledger.ts';

const HOUR_MS = 3_600_000;
const AT_MS = Date.parse('2026-11-22T02:30:00Z');
const NOW_MS = AT_MS + HOUR_MS;

const nightAt = (atMs: number, task = 'reconcile') => ({ task, id: new Date(atMs).toISOString(), atMs });
const NIGHT = nightAt(AT_MS);
const RUN = { by: 'nightly', process: 'p1', host: 'h1', sinceMs: AT_MS };
const end = (is: RunEnd['is'] = 'well', words = 'All is well.') => {
  return { is, words, by: 'nightly', startedMs: AT_MS, endedMs: AT_MS + 1_000 };
};

function openRuns() {
  const { connection, keys } = openLedger();
  return { connection, keys, runs: makeNightlyRuns({ connection, keys, retryUntilAnswered: (_what, run) => run() }) };
}

// Promise: night-ends-once
test('a night ends once, and later beginnings and ends of it change nothing', async () => {
  const { runs } = openRuns();
  expect(await runs.begin(NIGHT, RUN)).toBe(1);
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({
    last: undefined,
    underWay: { ...RUN, id: NIGHT.id, begun: 1 },
  });
  expect(await runs.begin(NIGHT, { ...RUN, process: 'p2' })).toBe(2);
  const ends = await Promise.all(['one', 'two', 'three'].map((words) => runs.end(NIGHT, end('findings', words))));
  expect(ends).toEqual([true, false, false]);
  expect(await runs.begin(NIGHT, RUN)).toBe(0);
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({
    last: { id: NIGHT.id, words: 'one' },
    lastWell: { words: 'one' },
    underWay: undefined,
  });
});

test('a run that was handed over is not counted as a try, and a run whose process died is', async () => {
  const { runs } = openRuns();
  expect(await runs.begin(NIGHT, RUN)).toBe(1);
  await runs.leave(NIGHT);
  expect((await runs.read(['reconcile'])).reconcile?.underWay).toBeUndefined();
  for (const times of [1, 2, 3]) expect(await runs.begin(NIGHT, RUN)).toBe(times);
  await runs.leave(NIGHT);
  expect((await runs.read(['reconcile'])).reconcile?.underWay).toMatchObject({ begun: 2, host: 'h1' });
  // Another night has its own count.
  expect(await runs.begin(nightAt(AT_MS + 24 * HOUR_MS), RUN)).toBe(1);
});

test('the last run, the last good run and the last failed run are stored separately', async () => {
  const { runs } = openRuns();
  await runs.end(NIGHT, end('well', 'fine'));
  await runs.end(nightAt(AT_MS + 1), end('failed', 'broken'));
  expect((await runs.read(['reconcile', 'retry'])).reconcile).toMatchObject({
    last: { words: 'broken' },
    lastWell: { words: 'fine' },
  });
  expect((await runs.read(['reconcile', 'retry'])).retry).toEqual({
    last: undefined,
    lastWell: undefined,
    lastFailed: undefined,
    underWay: undefined,
  });
  await runs.end(nightAt(AT_MS + 2), end('findings', 'found'));
  expect((await runs.read(['reconcile'])).reconcile).toMatchObject({
    last: { words: 'found' },
    lastWell: { words: 'found' },
    lastFailed: { words: 'broken' },
  });
});

test('the end of an old run does not end a newer run', async () => {
  const { runs } = openRuns();
  const next = nightAt(AT_MS + 24 * HOUR_MS);
  await runs.begin(NIGHT, RUN);
  await runs.begin(next, RUN);
  expect(await runs.end(NIGHT, end())).toBe(true);
  expect((await runs.read(['reconcile'])).reconcile?.underWay?.id).toBe(next.id);
});

test('a night counts as ended with itself or a later night, but not with one in the future', async () => {
  const { runs } = openRuns();
  expect(await runs.hasEnded(NIGHT, NOW_MS)).toBe(false);
  // As written by a clock that was a day ahead.
  await runs.end(nightAt(AT_MS + 24 * HOUR_MS), end());
  expect(await runs.hasEnded(NIGHT, NOW_MS)).toBe(false);
  await runs.end(nightAt(AT_MS + 60_000), end());
  expect(await runs.hasEnded(NIGHT, NOW_MS)).toBe(true);
  expect(await runs.hasEnded(nightAt(AT_MS, 'retry'), NOW_MS)).toBe(false);
  expect(await runs.hasEnded(nightAt(AT_MS + 24 * HOUR_MS), NOW_MS)).toBe(true);
});

test('the latest 1,000 ended nights are kept', async () => {
  const { runs, connection, keys } = openRuns();
  const key = keys.nightsEnded('reconcile');
  const old = Array.from({ length: 1_000 }, (_, place) => [String(place), `old ${place}`]).flat();
  await connection.call('ZADD', key, ...old);
  await runs.end(NIGHT, end());
  expect(await connection.zcard(key)).toBe(1_000);
  expect(await connection.zrange(key, '0', '0')).toEqual(['old 1']);
});

test('the present schedule is stored', async () => {
  const { runs } = openRuns();
  expect(await runs.schedule()).toBeUndefined();
  const entries = [{ task: 'reconcile', pattern: '30 2 * * *', tz: 'Europe/Berlin', sinceMs: 7 }];
  await runs.hold(entries);
  expect(await runs.schedule()).toEqual(entries);
});
