import { expect, onTestFinished, test, vi } from 'vitest';
import { dueNights, enterSchedule, keepSchedule, startKeepingSchedule } from '../../../jobs/nightly/keep-schedule.ts';
import { readSchedule, scheduleOf } from '../../../src/schedule/read-schedule.ts';
import { openNights } from '../../support/nightly.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const schedule = (text: string) => readSchedule(text, 'UTC').entries;

/** A schedule with a clock that the test sets. `asked` are the runs that were requested besides the schedulers. */
function openSchedule() {
  const nights = openNights();
  const { runs, maintenance, log } = nights;
  let nowMs = 0;
  const asked: string[] = [];
  const watched: typeof maintenance = {
    ...maintenance,
    add: async (job) => {
      asked.push(`${job.task} ${new Date(job.dueMs).toISOString().slice(0, 16)}`);
      await maintenance.add(job);
    },
  };
  const present: { process: string }[] = [];
  const deps = { runs, maintenance: watched, onDuty: async () => present, log, now: () => nowMs };
  onTestFinished(() => void vi.useRealTimers());
  return {
    ...nights,
    asked,
    /** The processes on duty. */
    present,
    deps,
    setClock(text: string) {
      nowMs = at(text);
      vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
    },
    /** Ends the night of a task, as its run does. */
    async ended(task: string, night: string) {
      const end = { is: 'well' as const, words: '', by: 'nightly', startedMs: nowMs, endedMs: nowMs };
      await runs.end({ task, id: `${night}:00.000Z`, atMs: at(night) }, end);
    },
  };
}

test('a new schedule has missed nothing, and later missed runs are caught up once for each task', async () => {
  const { asked, deps, setClock, ended } = openSchedule();
  const entries = schedule('reconcile 02:30; reconcile 14:30; retry 04:00');
  setClock('2026-11-22T12:00');
  await enterSchedule(entries, deps);
  expect(asked).toEqual([]);
  // No process ran for three days.
  setClock('2026-11-25T12:00');
  await enterSchedule(entries, deps);
  const missed = ['reconcile 2026-11-25T02:30', 'retry 2026-11-25T04:00'];
  expect([...new Set(asked)]).toEqual(missed);
  await ended('retry', '2026-11-25T04:00');
  await ended('reconcile', '2026-11-25T02:30');
  asked.length = 0;
  await enterSchedule(entries, deps);
  expect(asked).toEqual([]);
});

test('a schedule changed while no process ran has missed the runs of the old schedule only', async () => {
  const { asked, deps, setClock, runs } = openSchedule();
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30; audit 03:00'), deps);
  setClock('2026-11-23T12:00');
  await enterSchedule(schedule('reconcile 11:00; retry 11:00'), deps);
  // The audit is not in the new schedule.
  expect(asked).toEqual(['reconcile 2026-11-23T02:30']);
  expect(await runs.schedule()).toEqual([
    { task: 'reconcile', pattern: '0 11 * * *', tz: 'UTC', sinceMs: at('2026-11-23T12:00') },
    { task: 'retry', pattern: '0 11 * * *', tz: 'UTC', sinceMs: at('2026-11-23T12:00') },
  ]);
});

test('a run that is just due is left to its scheduler, and requested if none ran it in time', async () => {
  const { asked, deps, setClock, ended } = openSchedule();
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30'), deps);
  setClock('2026-11-23T02:31');
  await keepSchedule(deps, 120_000);
  expect(asked).toEqual([]);
  setClock('2026-11-23T02:33');
  await keepSchedule(deps, 120_000);
  expect(asked).toEqual(['reconcile 2026-11-23T02:30']);
  await ended('reconcile', '2026-11-23T02:30');
  await keepSchedule(deps, 120_000);
  expect(asked).toHaveLength(1);
});

test('a run under way is requested again only if its process is gone', async () => {
  const { asked, deps, setClock, present, runs } = openSchedule();
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30'), deps);
  setClock('2026-11-23T02:40');
  const night = { task: 'reconcile', id: '2026-11-23T02:30:00.000Z', atMs: at('2026-11-23T02:30') };
  await runs.begin(night, { by: 'nightly', process: 'p1', host: 'h1', sinceMs: night.atMs });
  present.push({ process: 'p1' });
  await keepSchedule(deps, 120_000);
  expect(asked).toEqual([]);
  present.length = 0;
  await keepSchedule(deps, 120_000);
  expect(asked).toEqual(['reconcile 2026-11-23T02:30']);
});

// Promise: wrong-clock-repeats-no-night
test.each([
  ['two days', '2026-11-24', '2026-11-25'],
  ['a month', '2026-12-22', '2026-12-23'],
])('a clock that was %s ahead for a while skips no night and repeats none', async (_ahead, wrong, next) => {
  const { asked, deps, setClock, ended, maintenance } = openSchedule();
  const nextRun = async () => (await maintenance.next()).map(({ atMs }) => new Date(atMs).toISOString().slice(0, 16));
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30'), deps);
  setClock(`${wrong}T12:00`);
  await keepSchedule(deps, 0);
  expect(asked).toEqual([`reconcile ${wrong}T02:30`]);
  await ended('reconcile', `${wrong}T02:30`);
  setClock('2026-11-22T12:05');
  await keepSchedule(deps, 0);
  expect(asked).toHaveLength(1);
  expect(await nextRun()).toEqual(['2026-11-23T02:30']);
  setClock('2026-11-23T02:40');
  await keepSchedule(deps, 0);
  expect(asked.at(-1)).toBe('reconcile 2026-11-23T02:30');
  await ended('reconcile', '2026-11-23T02:30');
  // The real clock reaches the night that the wrong clock had already run.
  setClock(`${wrong}T02:40`);
  asked.length = 0;
  await keepSchedule(deps, 0);
  expect(asked).toEqual([]);
  setClock(`${next}T02:40`);
  await keepSchedule(deps, 0);
  expect(asked).toEqual([`reconcile ${next}T02:30`]);
});

// Promise: wrong-clock-repeats-no-night
test('a clock that is set back does not repeat a finished night', async () => {
  const { asked, deps, setClock, ended } = openSchedule();
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30'), deps);
  setClock('2026-11-23T02:35');
  await ended('reconcile', '2026-11-23T02:30');
  for (const text of ['2026-11-23T02:29', '2026-11-23T02:31', '2026-11-23T03:00']) {
    setClock(text);
    await keepSchedule(deps, 0);
  }
  expect(asked).toEqual([]);
});

test('the keeper of a schedule can be stopped, and `off` removes all runs', async () => {
  const { deps, setClock, maintenance } = openSchedule();
  setClock('2026-11-22T12:00');
  await enterSchedule(schedule('reconcile 02:30'), deps);
  const keeping = await startKeepingSchedule(schedule('off'), deps);
  expect(await maintenance.next()).toEqual([]);
  keeping.stop();
});

test('missed tasks are caught up in the order of the schedule: audit, reconcile, retry, archive', async () => {
  const nowMs = Date.parse('2026-11-25T08:00:00Z');
  const due = await dueNights(scheduleOf(undefined, 'UTC'), { runs: { hasEnded: async () => false }, nowMs });
  expect(due.map(({ task }) => task)).toEqual(['audit', 'reconcile', 'retry', 'archive']);
});
