import { expect, test } from 'vitest';
import { scheduleTable } from '../../../scripts/nightly/schedule-table.ts';
import type { ScheduleFacts } from '../../../src/console/pages/nightly/schedule-view.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const RUN = { id: '', by: 'nightly', startedMs: NOW_MS - 7_200_000, endedMs: NOW_MS - 3_600_000 };

const FACTS: ScheduleFacts = {
  tasks: [
    {
      task: 'reconcile',
      does: 'compares',
      entries: [{ pattern: '30 2 * * *', tz: 'UTC', words: 'each day at 02:30, UTC' }],
      otherwise: '',
      nextMs: NOW_MS + 52_200_000,
      last: { ...RUN, is: 'failed', words: 'It could not be done: no disk' },
      lastWell: { ...RUN, is: 'well', words: '', endedMs: NOW_MS - 90_000_000 },
      underWay: { id: '', by: 'ann', process: 'p', host: 'h1', sinceMs: NOW_MS - 60_000, begun: 1 },
    },
    {
      task: 'inbox',
      does: 'takes in',
      entries: [],
      otherwise: 'at once, as files come',
      nextMs: undefined,
      last: undefined,
      lastWell: undefined,
      underWay: undefined,
    },
  ],
  onDuty: [
    { process: 'p', host: 'h1', agoMs: 10 },
    { process: 'q', host: 'h1', agoMs: 20 },
  ],
  isOther: false,
  nowMs: NOW_MS,
};

// Promise: nobody-on-duty-said
test('the schedule shows each task with its next and last run, and the processes on duty', () => {
  expect(scheduleTable(FACTS)).toBe(
    `reconcile   compares
  when   each day at 02:30, UTC
  next   2026-11-23 02:30 UTC, in 15 hours
  now    under way since 2026-11-22 11:59 UTC, on h1, by ann
  last   2026-11-22 11:00 UTC: FAILED. It could not be done: no disk
         it went well last: 2026-11-21 11:00 UTC

inbox   takes in
  when   at once, as files come
  last   npx limitline inbox lists it

On duty: 2 processes on h1.`,
  );
});

// Promise: nobody-on-duty-said
test('the schedule warns when no process is on duty and when the settings differ', () => {
  const words = scheduleTable({ ...FACTS, onDuty: [], isOther: true });
  expect(words).toContain('NOBODY IS ON DUTY: none of these tasks runs by itself.');
  expect(words).toContain('limitline nightly --wait');
  expect(words).toContain('The settings here have another schedule');
});
