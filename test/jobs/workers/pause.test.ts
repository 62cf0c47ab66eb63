import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { feed, queuesAhead } from '../../../jobs/rows/feed.ts';
import { lookAtPace } from '../../../src/open-service.ts';
import { describeLearned } from '../../../src/pace/pace-words.ts';
import { openDesk } from '../../support/desk.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const ROWS = 60;
const IN_FLIGHT = 4;

test('no new call is sent for a paused portfolio, and its rows continue after the resume', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace({
    faults: { latencyMs: [20, 80] },
    env: { SERVICE_CONCURRENCY: String(IN_FLIGHT) },
  });
  const requests = () =>
    Object.values({ ...standIn.counts().requests.company })
      .concat(Object.values(standIn.counts().requests.limit))
      .reduce((sum, count) => sum + count, 0);
  await place.import(buyerLines(ROWS));
  await work();
  await expect.poll(async () => (await report()).states.done).toBeGreaterThan(5);
  await context.portfolios.pause('q4', 'by request');
  const answeredBefore = requests();

  // No job polls for the resume. Each row waits before its step, and its job has ended.
  await expect.poll(async () => (await context.queues.alive()).size).toBe(0);
  const { company, documents, limit } = (await report()).states;
  expect(company + documents + limit).toBe(0);
  expect(requests()).toBeLessThanOrEqual(answeredBefore + IN_FLIGHT);
  const { states } = await report();
  expect(states.done).toBeLessThan(ROWS);
  expect(states.refused + states.held + states.cancelled).toBe(0);

  await context.portfolios.resume('q4');
  expect(await feed(context)).toBeGreaterThan(0);
  expect((await settled()).states.done).toBe(ROWS);
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: ROWS });
});

// Promise: pause-holds-up-no-other
test('a paused portfolio delays no other, even if they share a company', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace();
  await place.import(buyerLines(5));
  await context.portfolios.pause('q4', 'by request');
  await work();
  const [header = '', ...lines] = buyerLines(5);
  await place.import([header, ...lines.map((line) => line.replace('.50', '.75'))], { portfolio: 'other' });
  expect((await settled('other')).states.done).toBe(5);
  expect((await report()).states.done).toBe(0);
  await context.portfolios.resume('q4');
  expect((await settled()).states.done).toBe(5);
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 10 });
});

test('a supplier paused before its creation is created after the resume', async () => {
  const { work, settled, standIn, context, dir, ...place } = await openWorkplace();
  const supplierPath = join(dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
  await place.import(buyerLines(3), { supplierPath });
  await context.portfolios.pause('q4', 'by request');
  await work();
  await expect.poll(async () => (await context.queues.alive()).size).toBe(0);
  expect(standIn.counts().made.company).toBe(0);
  await context.portfolios.resume('q4');
  expect((await settled()).states.done).toBe(3);
  expect(standIn.counts().made.company).toBe(4);
});

// Promise: rows-wait-before-queue
test('rows wait before a paused queue while other steps continue, and all are finished after the resume', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace();
  await context.queues.pauseQueue('buyer-limits');
  await place.import(buyerLines(8));
  await work();
  await expect.poll(async () => (await report()).states.limit).toBe(8);
  expect(standIn.counts().made).toMatchObject({ company: 8, limit: 0 });
  const [, , limits] = await context.queues.counts();
  expect(limits).toMatchObject({ name: 'buyer-limits', waiting: 8, active: 0, isPaused: true });
  expect(limits?.oldestMs).toBeGreaterThan(Date.now() - 60_000);
  const pace = await lookAtPace(context);
  expect(pace && describeLearned(pace)).toContain('the queue buyer-limits is paused');

  await context.queues.resumeQueue('buyer-limits');
  expect((await settled()).states.done).toBe(8);
  expect(standIn.counts().made.limit).toBe(8);
});

test('jobs in a paused queue do not count, so later rows are fed past it', async () => {
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

test('pause and resume accept a queue or a portfolio, and refuse both together', async () => {
  const { limitline } = await openDesk(1);
  const paused = await limitline('pause', '--queue', 'documents');
  expect(paused.stdout).toContain('npx limitline resume --queue documents');
  const portfolios = await limitline('resume', '--queue', 'documents', '--json');
  expect(JSON.parse(portfolios.stdout)).toEqual({ queue: 'documents', paused: false });
  expect((await limitline('pause')).status).toBe(1);
  expect((await limitline('pause', 'q4', '--queue', 'documents')).stderr).toContain('and not both');
  expect((await limitline('pause', '--queue', 'nothing')).status).toBe(1);
});
