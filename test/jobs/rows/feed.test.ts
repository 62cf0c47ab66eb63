import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { describe, expect, onTestFinished, test } from 'vitest';
import { depthFor, feed, MOST_BEHIND_BREAKER, STEP_JOBS } from '../../../jobs/rows/feed.ts';
import type { Context } from '../../../src/context.ts';
import { makeRequest } from '../../support/ledger.ts';
import { openWorkplace } from '../../support/workplace.ts';

async function withRows(count: number, portfolio = 'q4') {
  const place = await openWorkplace();
  const { rows } = place.context;
  for (let line = 2; line < count + 2; line += 1) {
    await rows.put({ portfolio, key: `row-${line}` }, line, 'import-1', makeRequest());
  }
  await place.context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
  return place;
}

test('feeding gives every waiting row one job, however often it is repeated', async () => {
  const { context } = await withRows(30);
  await feed(context);
  await feed(context);
  expect(await context.queues.depth()).toBe(30);
  // BullMQ keeps only few of its events about them.
  expect(await context.queues.bullmq.companies.getMeta()).toMatchObject({ maxLenEvents: 100 });
});

test('a row that waits again gets a job even if its previous job is among the failed ones', async () => {
  const { context } = await withRows(2);
  await feed(context);
  // The job ends in a worker while a person retries its row.
  await failNextJob(context);
  const { queues } = context;
  expect([await queues.depth(), await queues.failedRows()]).toEqual([1, new Map([['q4', new Set(['row-2'])]])]);
  await feed(context);
  expect([await queues.depth(), await queues.failedRows()]).toEqual([2, new Map()]);
});

test('a supplier to be requested gets a job even if its previous job is among the failed ones', async () => {
  const { context } = await withRows(1);
  await context.portfolios.setSupplier('q4', { body: { name: 'S' }, key: 'supplier-1' });
  await feed(context);
  await failNextJob(context);
  expect(await context.queues.failedRows()).toEqual(new Map([['q4', new Set(['supplier'])]]));
  await feed(context);
  expect([await context.queues.depth(), await context.queues.failedRows()]).toEqual([1, new Map()]);
});

test('feeding keeps the queues filled for some seconds of the flow', async () => {
  const { context, settled, standIn, work, ...place } = await openWorkplace();
  const lines = ['name,requested_limit,company_registration_number'];
  for (let n = 0; n < 600; n += 1) lines.push(`B${n},100,${n}`);
  await place.import(lines);
  // The batches of an import are small at first, and are not split.
  const fed = await context.queues.depth();
  expect([fed > depthFor(0) / 2, fed <= depthFor(0)]).toEqual([true, true]);
  await feed(context, { flowPerS: 400 });
  expect(await context.queues.depth()).toBe(400);
  await feed(context, { flowPerS: 400 });
  expect(await context.queues.depth()).toBe(400);
  await feed(context, { flowPerS: 1_000_000 });
  expect(await context.queues.depth()).toBe(600);
  await work();
  expect((await settled()).states.done).toBe(600);
  expect(standIn.counts().made.limit).toBe(600);
});

test('delayed jobs count like jobs that wait for a worker', async () => {
  const { context } = await withRows(300);
  await feed(context);
  const depth = await context.queues.depth();
  const queue = new Queue('companies', {
    connection: context.redis.connect('queue'),
    prefix: context.keys.queuePrefix('companies'),
  });
  onTestFinished(() => queue.close());
  // A worker leaves a job that runs again later like this.
  const { ledger, keys } = context;
  const name = `${keys.queuePrefix('companies')}:companies`;
  for (const id of await ledger.lrange(`${name}:wait`, 0, -1)) {
    await ledger.zadd(`${name}:delayed`, Date.now() * 4_096, id);
  }
  await ledger.del(`${name}:wait`);
  expect(await queue.getDelayedCount()).toBe(depth);
  expect(await feed(context)).toBe(0);
  expect(await context.queues.depth()).toBe(depth);
});

test('portfolios have equal shares, and a new one gets its share at once, ahead of the others', async () => {
  const place = await openWorkplace();
  const put = async (portfolio: string, count: number) => {
    await place.context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
    for (let line = 2; line < count + 2; line += 1) {
      await place.context.rows.put({ portfolio, key: `${portfolio}-${line}` }, line, 'i', makeRequest());
    }
  };
  const waiting = async () => {
    const found = await place.context.queues.waiting();
    return Object.fromEntries([...found].map(([name, { size }]) => [name, size]));
  };
  await put('large', 400);
  await feed(place.context);
  expect(await waiting()).toEqual({ large: 100 });
  await put('small', 10);
  await feed(place.context);
  expect(await waiting()).toEqual({ large: 100, small: 10 });
  await put('next', 400);
  await feed(place.context);
  expect(await waiting()).toEqual({ large: 100, small: 10, next: 34 });

  const queue = `${place.context.keys.queuePrefix('companies')}:companies`;
  const ids = (await place.context.ledger.lrange(`${queue}:wait`, 0, -1)).reverse();
  expect(ids.map((id) => id.split('-')[0]).slice(0, 45)).toEqual([
    ...Array(34).fill('next/next'),
    ...Array(10).fill('small/small'),
    'large/large',
  ]);
  expect(ids[0]).toBe('next/next-2');
});

test('unused shares of small portfolios go to the large one, and their rows take turns', async () => {
  const place = await openWorkplace();
  const names = ['large', 'small-1', 'small-2', 'small-3', 'small-4'];
  for (const portfolio of names) {
    await place.context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
    for (let line = 2; line < (portfolio === 'large' ? 202 : 7); line += 1) {
      await place.context.rows.put({ portfolio, key: `${portfolio}-${line}` }, line, 'i', makeRequest());
    }
  }
  await feed(place.context);
  const found = await place.context.queues.waiting();
  expect(names.map((name) => found.get(name)?.size)).toEqual([80, 5, 5, 5, 5]);
  const queue = `${place.context.keys.queuePrefix('companies')}:companies`;
  const oldest = (await place.context.ledger.lrange(`${queue}:wait`, -5, -1)).map((id) => id.split('/')[0]);
  expect(oldest.reverse()).toEqual(names);
});

describe('while limit requests wait behind a tripped breaker', () => {
  const line = { flowPerS: 0, tripped: [{ kind: 'limit' }] } as const;

  async function withJobsBehindBreaker(behindBreaker: number) {
    const place = await openWorkplace();
    const { portfolios, queues, rows } = place.context;
    for (const portfolio of ['first', 'second']) {
      await portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
      for (let at = 2; at < 202; at += 1) await rows.put({ portfolio, key: `row-${at}` }, at, 'i', makeRequest());
    }
    const keys = Array.from({ length: behindBreaker }, (_, at) => `behind-${at}`);
    await queues.add(keys.map((key) => ({ ...STEP_JOBS.limit, data: { portfolio: 'first', key } })));
    const ahead = async () => {
      const found = await queues.waiting(['companies']);
      return ['first', 'second'].map((name) => found.get(name)?.size ?? 0);
    };
    return { ...place, ahead };
  }

  test('their jobs count neither for the depth nor for the shares', async () => {
    const { context, ahead } = await withJobsBehindBreaker(3 * depthFor(0));
    await feed(context, line);
    expect(await ahead()).toEqual([depthFor(0) / 2, depthFor(0) / 2]);
    expect(await feed(context, line)).toBe(0);
  });

  test('a portfolio with thousands of such jobs gets no more, and others are fed', async () => {
    const { context, ahead } = await withJobsBehindBreaker(MOST_BEHIND_BREAKER / 2);
    await feed(context, line);
    expect(await ahead()).toEqual([0, depthFor(0)]);
  });
});

test('feeding skips a paused portfolio, and one whose supplier is not created yet', async () => {
  const { context } = await withRows(3);
  await context.ledger.hset(context.keys.portfolio('q4'), 'paused', 'by request');
  await feed(context);
  expect(await context.queues.depth()).toBe(0);
  await context.ledger.hdel(context.keys.portfolio('q4'), 'paused');
  await context.portfolios.setSupplier('q4', { body: { name: 'S' }, key: 'supplier-1' });
  await feed(context);
  // Only the supplier has a job.
  expect(await context.queues.depth()).toBe(1);
  await context.portfolios.setSupplier('q4', { id: 'company_1' });
  await feed(context);
  expect(await context.queues.depth()).toBe(4);
});

async function failNextJob(context: Context): Promise<void> {
  const worker = new Worker('companies', null, {
    connection: context.redis.connect('worker'),
    prefix: context.keys.queuePrefix('companies'),
  });
  onTestFinished(() => worker.close());
  const job = await worker.getNextJob('token');
  await job?.moveToFailed(new UnrecoverableError('no'), 'token', false);
}
