import { expect, test } from 'vitest';
import { feed, makeHealer } from '../../jobs/feed.ts';
import { makeRequest } from '../support/ledger.ts';
import { openWorkplace } from '../support/workplace.ts';

async function withRows(count: number, portfolio = 'q4') {
  const place = await openWorkplace();
  const { rows } = place.context;
  for (let line = 2; line < count + 2; line += 1) {
    await rows.put({ portfolio, key: `row-${line}` }, line, 'import-1', makeRequest());
  }
  await place.context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
  return place;
}

test('gives every waiting row one job, however often it is called', async () => {
  const { context } = await withRows(30);
  await feed(context);
  await feed(context);
  expect(await context.queues.depth()).toBe(30);
});

test('keeps the queues at some thousands, and goes on where it left off when they run low', async () => {
  const { context, settled, standIn, work, ...place } = await openWorkplace();
  const lines = ['name,requested_limit,company_registration_number'];
  for (let n = 0; n < 5_500; n += 1) lines.push(`B${n},100,${n}`);
  await place.import(lines);
  expect(await context.queues.depth()).toBeLessThan(5_001);
  await work();
  expect((await settled('q4', 55_000)).states.done).toBe(5_500);
  expect(standIn.counts().made.limit).toBe(5_500);
});

test('passes over a portfolio that is paused, and one whose supplier comes first', async () => {
  const { context } = await withRows(3);
  await context.ledger.hset(context.keys.portfolio('q4'), 'paused', 'by request');
  await feed(context);
  expect(await context.queues.depth()).toBe(0);
  await context.ledger.hdel(context.keys.portfolio('q4'), 'paused');
  await context.portfolios.setSupplier('q4', { body: { name: 'S' }, key: 'supplier-1' });
  await feed(context);
  // The supplier's own job, and none of the rows'.
  expect(await context.queues.depth()).toBe(1);
  await context.portfolios.setSupplier('q4', { id: 'company_1' });
  await feed(context);
  expect(await context.queues.depth()).toBe(4);
});

test('heals a line whose jobs are lost, wherever the rows stand', async () => {
  const { context } = await withRows(4);
  const row = (n: number) => ({ portfolio: 'q4', key: `row-${n}` });
  await context.rows.begin(row(2), 'company');
  await context.rows.begin(row(3), 'company');
  await context.rows.advance(row(3), 'company', 'limit', { company: 'company_1' });
  await context.rows.begin(row(4), 'company');
  await context.rows.advance(row(4), 'company', 'done', {});
  const heal = makeHealer(context);
  expect(await heal()).toBe(3);
  expect(await context.queues.depth()).toBe(3);
  expect(await heal()).toBe(0);
});

test('heals a line that stands still although something is left of its job', async () => {
  const { context } = await withRows(1);
  const row = { portfolio: 'q4', key: 'row-2' };
  await feed(context);
  await context.rows.begin(row, 'company');
  // The lists of a queue are gone, the job's own record is not; another job keeps the queues from being idle.
  const queue = `${context.keys.queuePrefix('companies')}:companies`;
  await context.ledger.del(`${queue}:wait`, `${queue}:marker`);
  await context.queues.add([{ queue: 'documents', name: 'upload-documents', data: { portfolio: 'q4', key: 'other' } }]);
  const heal = makeHealer(context);
  await expect.poll(heal).toBe(1);
  expect(await context.queues.depth()).toBe(2);
});
