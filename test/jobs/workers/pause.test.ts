import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { feed } from '../../../jobs/rows/feed.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const ROWS = 60;
const IN_FLIGHT = 4;

test('no new call starts for a paused portfolio, and it goes on where it was', async () => {
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

  // No job goes round to look for the resume: each row stands in front of its step again, and its job has ended.
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
test('a paused portfolio holds up no other, not even for a company that they share', async () => {
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

test('a supplier that was paused before it was made is made when the portfolio goes on', async () => {
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
