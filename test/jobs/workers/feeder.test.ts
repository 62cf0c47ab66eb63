import { expect, test } from 'vitest';
import { feed } from '../../../jobs/rows/feed.ts';
import { makeHealer } from '../../../jobs/workers/feeder.ts';
import { makeRequest } from '../../support/ledger.ts';
import { openWorkplace } from '../../support/workplace.ts';

async function withRows(count: number) {
  const place = await openWorkplace();
  for (let line = 2; line < count + 2; line += 1) {
    await place.context.rows.put({ portfolio: 'q4', key: `row-${line}` }, line, 'import-1', makeRequest());
  }
  await place.context.portfolios.startImport('q4', { id: 'i', fileName: 'f.csv', reading: '{}' });
  return place;
}

test('lost jobs of a portfolio are made again, at whichever step its rows are', async () => {
  const { context } = await withRows(4);
  const row = (n: number) => ({ portfolio: 'q4', key: `row-${n}` });
  await context.rows.begin(row(2), 'company');
  await context.rows.begin(row(3), 'company');
  await context.rows.advance(row(3), 'company', 'limit', { company: 'company_1' });
  await context.rows.begin(row(4), 'company');
  await context.rows.advance(row(4), 'company', 'done', {});
  const heal = makeHealer(context);
  expect(await heal()).toBe(2);
  expect(await feed(context)).toBe(1);
  expect(await context.queues.depth()).toBe(3);
  expect(await heal()).toBe(0);
});

test('a lost job is made again even if a part of its record remains', async () => {
  const { context } = await withRows(1);
  const row = { portfolio: 'q4', key: 'row-2' };
  await feed(context);
  await context.rows.begin(row, 'company');
  // The lists of the queue are lost, and the record of the job remains. Another job keeps the queues from being idle.
  const queue = `${context.keys.queuePrefix('companies')}:companies`;
  await context.ledger.del(`${queue}:wait`, `${queue}:marker`);
  await context.queues.add([{ queue: 'documents', name: 'upload-documents', data: { portfolio: 'q4', key: 'other' } }]);
  const heal = makeHealer(context);
  await expect.poll(heal).toBe(1);
  expect(await context.queues.depth()).toBe(2);
});

test('the record of a lost job does not keep a waiting row from being fed', async () => {
  const { context } = await withRows(3);
  await feed(context);
  const queue = `${context.keys.queuePrefix('companies')}:companies`;
  await context.ledger.del(`${queue}:wait`, `${queue}:marker`);
  await feed(context);
  expect(await context.queues.depth()).toBe(0);
  await makeHealer(context)();
  await feed(context);
  expect(await context.queues.depth()).toBe(3);
});

test('the search for lost jobs is skipped while workers wait, and limited otherwise', async () => {
  const { context } = await withRows(1);
  await feed(context);
  let looks = 0;
  const queues = {
    ...context.queues,
    alive: () => {
      looks += 1;
      return context.queues.alive();
    },
  };
  let waits = true;
  const heal = makeHealer({ ...context, queues }, () => waits);
  for (let call = 0; call < 100; call += 1) await heal();
  expect(looks).toBe(0);
  waits = false;
  for (let call = 0; call < 100; call += 1) await heal();
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(6);
});

test('a job delayed by a clock two days ahead runs when the clock is right again', async () => {
  const { context } = await withRows(1);
  const row = { portfolio: 'q4', key: 'row-2' };
  await context.rows.begin(row, 'company');
  await context.queues.handOver({ queue: 'companies', name: 'create-company', data: row }, { delayMs: 2 * 86_400_000 });
  const counts = () => context.queues.bullmq.companies.getJobCounts('delayed', 'wait');
  expect(await counts()).toEqual({ delayed: 1, wait: 0 });
  const heal = makeHealer(context);
  await expect.poll(() => heal().then(counts)).toEqual({ delayed: 0, wait: 1 });
});

test('a delayed job is not run early', async () => {
  const { context } = await withRows(1);
  const row = { portfolio: 'q4', key: 'row-2' };
  await context.rows.begin(row, 'company');
  await context.queues.handOver({ queue: 'companies', name: 'create-company', data: row }, { delayMs: 600_000 });
  const heal = makeHealer(context);
  for (let call = 0; call < 20; call += 1) await heal();
  expect(await context.queues.bullmq.companies.getJobCounts('delayed')).toEqual({ delayed: 1 });
});

const LARGE = 800;
const SMALL = 40;
const CALLS_PER_S = 50;
/** A row needs two calls, one for its company and one for its limit. */
const ROWS_PER_S = CALLS_PER_S / 2;

// Promise: portfolios-take-turns
test('a small portfolio imported after a large one is processed in turns with it', async () => {
  const place = await openWorkplace({ env: { SERVICE_RATE_PER_S: String(CALLS_PER_S) } });
  const { context } = place;
  const put = async (portfolio: string, count: number) => {
    const importing = await context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
    const putLine = (line: number) => {
      const buyer = `${portfolio}-${line}`;
      const request = makeRequest({ buyer, company: { name: buyer } });
      return context.rows.put({ portfolio, key: buyer }, line, 'i', request);
    };
    // So few at a time that a slow machine finishes them before a command times out.
    for (let from = 0; from < count; from += 250) {
      await Promise.all(Array.from({ length: Math.min(250, count - from) }, (_, n) => putLine(from + n + 2)));
    }
    await feed(context);
    await importing.end();
  };
  const done = async (portfolio: string) => (await context.portfolios.read(portfolio)).states.done;

  await put('large', LARGE);
  await Promise.all([place.work(), place.work()]);
  await expect.poll(() => done('large')).toBeGreaterThan(ROWS_PER_S);
  await put('small', SMALL);
  const before = await done('large');
  await place.settled('small');
  expect(await done('small')).toBe(SMALL);
  // In turns, the large portfolio gets as many rows done meanwhile, and some more if the machine stalls. Without turns,
  // all of its rows would be done first.
  expect((await done('large')) - before).toBeLessThan(LARGE / 2);
});
