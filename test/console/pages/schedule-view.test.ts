import { describe, expect, test } from 'vitest';
import { commandLineActor } from '../../../src/actor.ts';
import { type ScheduleFacts, scheduleSection } from '../../../src/console/pages/nightly/schedule-view.ts';
import { openConsole } from '../../support/desk.ts';
import { ownRedis } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workplace.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const END = { id: '', by: 'nightly', startedMs: NOW_MS - 61_000, endedMs: NOW_MS - 60_000 };

const FACTS: ScheduleFacts = {
  tasks: [
    {
      task: 'reconcile',
      does: 'compares what is kept',
      entries: [{ pattern: '30 2 * * *', tz: 'UTC', words: 'each day at 02:30, UTC' }],
      otherwise: '',
      nextMs: NOW_MS + 1,
      last: { ...END, is: 'failed', words: 'No disk <b>.' },
      lastWell: undefined,
      underWay: undefined,
    },
    {
      task: 'inbox',
      does: 'takes in',
      entries: [],
      otherwise: 'at once, as files come',
      nextMs: undefined,
      last: undefined,
      lastWell: undefined,
      underWay: { id: '', by: 'ann', process: 'p', host: 'h1', sinceMs: NOW_MS, begun: 1 },
    },
  ],
  onDuty: [{ process: 'p', host: 'h1', agoMs: 1 }],
  isOther: false,
  nowMs: NOW_MS,
};
const RIGHTS = { csrf: 'token', mayRun: true };

describe('the schedule section', () => {
  // Promise: nobody-on-duty-said
  test('shows when each task runs and its last result, with a run button unless it is under way', () => {
    const text = String(scheduleSection(FACTS, RIGHTS));
    for (const words of [
      'each day at 02:30, UTC',
      'Failed.',
      'No disk &lt;b&gt;.',
      'Last success: never',
      'on h1, by ann',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).toContain('at once, as files come');
    expect(text).toContain('1 process on h1 runs these tasks.');
    expect(text.match(/action="\/nightly\/run\/\w+"/g)).toEqual(['action="/nightly/run/reconcile"']);
    expect(text).toContain('npx limitline schedule run reconcile');
    expect(text).not.toContain('The nightly tasks do not run.');
    expect(String(scheduleSection(FACTS, { ...RIGHTS, mayRun: false }))).not.toContain('/nightly/run/');
  });

  // Promise: nobody-on-duty-said
  test('warns when no process runs the tasks, and says that a requested task waits', () => {
    const text = String(scheduleSection({ ...FACTS, onDuty: [] }, { ...RIGHTS, asked: 'reconcile' }));
    expect(text).toContain('The nightly tasks do not run.');
    expect(text).toContain('You started “Check all records”');
    expect(text).toContain('It waits until a process');
    expect(String(scheduleSection({ ...FACTS, isOther: true }, RIGHTS))).toContain('is set to another schedule');
  });

  test('says whether a requested task runs, and ignores other words in the address', () => {
    expect(String(scheduleSection(FACTS, { ...RIGHTS, asked: 'reconcile' }))).toContain('begins as soon as');
    expect(String(scheduleSection(FACTS, { ...RIGHTS, asked: 'inbox' }))).toContain('It runs now.');
    expect(String(scheduleSection(FACTS, { ...RIGHTS, asked: '<script>' }))).not.toContain('You started');
  });

  test('a task started on the page is queued and recorded with its author', async () => {
    const cwd = await makeFolder();
    const env = ownRedis();
    const { post, context } = await openConsole({ cwd, env });
    const answer = await post('/nightly/run/reconcile');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/nightly/automation?asked=reconcile']);
    expect((await post('/nightly/run/everything')).status).toBe(404);
    const prefix = context.keys.queuePrefix('maintenance');
    const [id = ''] = await context.ledger.lrange(`${prefix}:maintenance:wait`, 0, -1);
    const data = JSON.parse((await context.ledger.hget(`${prefix}:maintenance:${id}`, 'data')) ?? '');
    expect(data).toMatchObject({ task: 'reconcile', by: commandLineActor(), from: '127.0.0.1' });
    const { entries } = await context.audit.read.page({ count: 9, walk: 9 });
    expect(entries.map(({ what, facts }) => [what, facts])).toContainEqual([
      'nightly task asked for',
      { task: 'reconcile' },
    ]);
  });
});
