import { expect, onTestFinished, test } from 'vitest';
import { startTakingEvents, takeAllEvents } from '../../../jobs/events/take-events.ts';
import { openContextOf, openDesk } from '../../support/desk.ts';
import { decisionEvent, eventOf, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { importUnderReview, later, openReview } from '../../support/under-review.ts';
import { makeKeptLog } from '../../support/workplace.ts';

// Promise: events-told-once-a-minute
test('decisions in events that come one by one are told of together, and those of the last minute at the stop', async () => {
  const desk = await openDesk(3);
  const context = await importUnderReview(desk);
  const { ledger, keys } = context;
  const mapping = mappingIn(writeMapping(desk.cwd, MAPPING));
  const taking = startTakingEvents({ ...context, log: makeKeptLog().log }, { mapping, everyMs: 50 });
  onTestFinished(() => taking.stop());
  const titles = async (): Promise<string[]> => {
    const { notices } = await desk.json('notices');
    return notices.map(({ notice }: { notice: { title: string } }) => notice.title);
  };
  const rows = await context.rows.inState('q4', 'done', { count: 3 });
  const limits = (await context.rows.read(rows.map(({ row }) => row))).map((row) => row?.limitId ?? '');
  for (const [place, id] of limits.entries()) {
    await taking.keep(eventOf(decisionEvent(id, 'approved', { at: later(1) })));
    await expect.poll(async () => (await desk.json('report', 'q4')).statuses.approved).toBe(place + 1);
    await expect.poll(() => ledger.zcard(keys.eventsUnread)).toBe(0);
    await expect.poll(titles).toHaveLength(1);
  }
  expect(await titles()).toEqual([expect.stringContaining(' 1 row of')]);
  await taking.stop();
  expect((await titles()).sort()).toEqual([
    expect.stringContaining(' 1 row of'),
    expect.stringContaining(' 2 rows of'),
  ]);
  expect(await context.decisions.untold()).toEqual([]);
});

// Promise: event-time-may-be-ahead
test('a decision in an event of a time hours ahead is taken, and a file that corrects it is told when it can', async () => {
  const { ids, decide, cwd, ...desk } = await openReview(1);
  const context = await openContextOf({ cwd, ...desk });
  const mapping = mappingIn(writeMapping(cwd, MAPPING));
  const at = later(120);
  await context.events.keep(eventOf(decisionEvent(ids[0], 'approved', { at })));
  expect((await takeAllEvents({ mapping }, context)).became).toEqual({ taken: 1 });
  const { status, stdout } = await decide([`${ids[0]},,rejected,0,0,`]);
  expect(status).toBe(2);
  const then = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  expect(stdout).toContain(
    `an older decision changes nothing. An event gave that time, which has not come yet. If this decision counts, take the file in again after ${then}.`,
  );
});
