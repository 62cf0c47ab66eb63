import { expect, onTestFinished, test, vi } from 'vitest';
import { doWhatIsDue, stayOnDuty } from '../../../scripts/commands/nightly.ts';
import { scheduleFunctions } from '../../../scripts/console/nightly.ts';
import { runNights, statusOf } from '../../../scripts/nightly/run-nights.ts';
import { readScheduleFacts } from '../../../scripts/nightly/schedule-table.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { openWorkplace } from '../../support/workplace.ts';

const never = () => new AbortController().signal;
const SCHEDULE = { LIMITLINE_SCHEDULE: 'audit 02:15 UTC; reconcile 02:30 UTC' };

// Promise: one-pass-of-what-is-due
test('one pass runs the due tasks once, and findings give exit status 2', async () => {
  const place = await openWorkplace({ env: SCHEDULE });
  const { context } = place;
  await place.import(['name,requested_limit', 'Buyer 1 GmbH,1000']);
  // One count is lost.
  await context.ledger.hset(context.keys.sums('q4', 'a'), 'requested:0', '1');
  const done: string[] = [];
  const part = { name: 'notices', start: () => ({ stop: () => {} }), once: async () => void done.push('notices') };
  const ends = await doWhatIsDue(context, { signal: never(), parts: [part] });
  expect(ends.map(({ task, end }) => [task, end?.is])).toEqual([
    ['audit', 'well'],
    ['reconcile', 'findings'],
  ]);
  expect(statusOf(ends)).toBe(2);
  expect(done).toEqual(['notices']);
  expect(await doWhatIsDue(context, { signal: never(), parts: [] })).toEqual([]);
  expect(statusOf([])).toBe(0);
});

test('a part that fails does not stop the others, and gives exit status 1', async () => {
  const { context } = await openWorkplace({ env: { LIMITLINE_SCHEDULE: 'off' } });
  const broken = {
    name: 'inbox',
    start: () => Promise.reject(new Error('no such folder')),
    once: () => Promise.reject(new Error('no such folder')),
  };
  const events: string[] = [];
  const well = {
    name: 'notices',
    start: () => {
      events.push('started');
      return { stop: () => void events.push('stopped') };
    },
    once: async () => void events.push('once'),
  };
  const ends = await doWhatIsDue(context, { signal: never(), parts: [broken, well] });
  expect(statusOf(ends)).toBe(1);
  const duty = await stayOnDuty(context, { parts: [broken, well] });
  await duty.stop();
  expect(events).toEqual(['once', 'started', 'stopped']);
});

// Promise: missed-nights-run-once
test('two processes on duty run missed nights once, are listed as on duty, and run requested tasks', async () => {
  const { context } = await openWorkplace({ env: SCHEDULE });
  expect(await readScheduleFacts(context)).toMatchObject({ onDuty: [], isOther: false });
  const first = await stayOnDuty(context, { parts: [] });
  await first.stop();
  // No process is on duty for a week.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const fleet = await Promise.all([stayOnDuty(context, { parts: [] }), stayOnDuty(context, { parts: [] })]);
  const lastOf = async (task: string) => (await context.nightlyRuns.read([task]))[task]?.last;
  await expect.poll(() => lastOf('audit')).toMatchObject({ is: 'well', by: 'nightly' });
  await expect.poll(() => lastOf('reconcile')).toMatchObject({ is: 'well', by: 'nightly' });
  const facts = await readScheduleFacts(context);
  expect(facts.onDuty).toHaveLength(1);
  const caughtUp = facts.tasks.find(({ task }) => task === 'reconcile');
  expect(caughtUp?.entries).toEqual([{ pattern: '30 2 * * *', tz: 'UTC', words: 'each day at 02:30, UTC' }]);
  expect((caughtUp?.nextMs ?? 0) - Date.parse(caughtUp?.last?.id ?? '')).toBe(86_400_000);

  const night = { task: 'reconcile', id: new Date().toISOString(), atMs: Date.now() };
  const [asked] = await runNights([{ ...night, by: 'ann' }], context, { signal: never() });
  expect(asked?.end).toMatchObject({ id: night.id, by: 'ann', is: 'well' });
  await Promise.all(fleet.map((duty) => duty.stop()));
  const nights = await context.ledger.zrange(context.keys.nightsEnded('reconcile'), '0', '-1');
  expect(nights).toEqual([caughtUp?.last?.id, night.id]);
  expect((await readScheduleFacts(context)).onDuty).toEqual([]);
});

test('a process on duty continues after Redis was restarted', async () => {
  const redis = await startKillableRedis();
  const { context } = await openWorkplace({ env: { ...SCHEDULE, REDIS_URL: redis.url } });
  const duty = await stayOnDuty(context, { parts: [] });
  await redis.kill();
  await redis.restart();
  // Adding the same moment repeatedly makes one run. The first attempts may meet a connection that is not back yet.
  const dueMs = Date.now();
  await expect.poll(() => context.maintenance().add({ task: 'audit', dueMs, by: 'ann' })).toBeUndefined();
  const lastOf = async () => (await context.nightlyRuns.read(['audit'])).audit?.last;
  await expect.poll(lastOf).toMatchObject({ is: 'well', by: 'ann' });
  await duty.stop();
});

test('a task that was requested in the console while no process was on duty runs in the next pass', async () => {
  const { context } = await openWorkplace({ env: { LIMITLINE_SCHEDULE: 'off' } });
  await scheduleFunctions(context).run('audit', { by: 'ann', from: '192.0.2.7' });
  const ends = await doWhatIsDue(context, { signal: never(), parts: [] });
  expect(ends.map(({ task, end }) => [task, end?.is, end?.by])).toEqual([['audit', 'well', 'ann']]);
  const { entries } = await context.audit.read.page({ count: 9, walk: 9 });
  expect(entries.filter(({ by }) => by === 'ann').map(({ from }) => from)).toEqual(['192.0.2.7', '192.0.2.7']);
  expect(await doWhatIsDue(context, { signal: never(), parts: [] })).toEqual([]);
});

test('one pass uses its own schedule, not the one of an earlier process on duty', async () => {
  const { context } = await openWorkplace({ env: SCHEDULE });
  const duty = await stayOnDuty(context, { parts: [] });
  await duty.stop();
  expect(await context.maintenance().next()).toHaveLength(2);
  context.settings.LIMITLINE_SCHEDULE = 'off';
  expect(await doWhatIsDue(context, { signal: never(), parts: [] })).toEqual([]);
  expect(await context.maintenance().next()).toEqual([]);
});

test('a stopped pass leaves the rest of the tasks to the next one', async () => {
  const { context } = await openWorkplace({ env: SCHEDULE });
  const stopped = new AbortController();
  stopped.abort(new Error('this process stops'));
  const ends = await doWhatIsDue(context, { signal: stopped.signal, parts: [] });
  expect(ends.map(({ task }) => task)).toEqual(['audit', 'reconcile']);
});
