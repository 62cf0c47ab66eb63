import { expect, test } from 'vitest';
import { dueNights } from '../../../jobs/nightly/due-tasks.ts';
import { scheduleOf } from '../../../src/schedule/read-schedule.ts';

test('tasks of a night that was missed are made up for in the order of the schedule: rows go again behind the check', async () => {
  const nowMs = Date.parse('2026-11-25T08:00:00Z');
  const due = await dueNights(scheduleOf(undefined, 'UTC'), { runs: { hasEnded: async () => false }, nowMs });
  expect(due.map(({ task }) => task)).toEqual(['audit', 'reconcile', 'retry', 'archive']);
});
