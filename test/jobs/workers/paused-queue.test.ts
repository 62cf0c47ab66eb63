import { expect, test } from 'vitest';
import { feed, queuesAhead } from '../../../jobs/rows/feed.ts';
import { lookAtPace } from '../../../src/open-service.ts';
import { describeLearned } from '../../../src/pace/pace-words.ts';
import { openDesk } from '../../support/desk.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const ROWS = 8;

// Promise: rows-wait-before-queue
test('rows of a paused queue wait before it and say so, those of other steps go on, and all go on afterwards', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace();
  await context.queues.pauseQueue('buyer-limits');
  await place.import(buyerLines(ROWS));
  await work();
  await expect.poll(async () => (await report()).states.limit).toBe(ROWS);
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: 0 });
  const [, , limits] = await context.queues.counts();
  expect(limits).toMatchObject({ name: 'buyer-limits', waiting: ROWS, active: 0, isPaused: true });
  expect(limits?.oldestMs).toBeGreaterThan(Date.now() - 60_000);
  const pace = await lookAtPace(context);
  expect(pace && describeLearned(pace)).toContain('the queue buyer-limits is paused');

  await context.queues.resumeQueue('buyer-limits');
  expect((await settled()).states.done).toBe(ROWS);
  expect(standIn.counts().made.limit).toBe(ROWS);
});

test('what stands in a paused queue counts for no other: rows are fed past it', async () => {
  const { context, ...place } = await openWorkplace();
  await context.queues.pauseQueue('companies');
  const [header = '', ...lines] = buyerLines(150);
  const known = lines.map((line) => `${line},company_1`);
  await place.import([header, ...lines], { portfolio: 'new' });
  await place.import([`${header},company_id`, ...known], { portfolio: 'known' });
  const pace = { flowPerS: 0, paused: await context.queues.paused() };
  expect(queuesAhead(pace)).toEqual(['documents', 'buyer-limits']);
  await feed(context, pace);
  const waiting = await context.queues.waiting(['buyer-limits']);
  expect(waiting.get('known')?.size).toBeGreaterThan(20);
});

test('a queue is paused and resumed by command, and a name and a queue are not both', async () => {
  const { limitline } = await openDesk(1);
  const paused = await limitline('pause', '--queue', 'documents');
  expect(paused.stdout).toContain('npx limitline resume --queue documents');
  const portfolios = await limitline('resume', '--queue', 'documents', '--json');
  expect(JSON.parse(portfolios.stdout)).toEqual({ queue: 'documents', paused: false });
  expect((await limitline('pause')).status).toBe(1);
  expect((await limitline('pause', 'q4', '--queue', 'documents')).stderr).toContain('and not both');
  expect((await limitline('pause', '--queue', 'nothing')).status).toBe(1);
});
