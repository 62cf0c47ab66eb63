import { expect, test } from 'vitest';
import { foundBy } from '../../support/found-by.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** Deletes all that BullMQ knows, and nothing of the ledger's. */
async function dropQueues({ context: { ledger, settings } }: Pick<Place, 'context'>): Promise<number> {
  // The ledger's tag is `{prefix:account}`, those of the queues `{prefix:account:queue}`.
  const pattern = `{${settings.LIMITLINE_PREFIX}:*:*}:*`;
  let dropped = 0;
  let cursor = '0';
  do {
    const [next, keys] = (await ledger.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000')) as [string, string[]];
    if (keys.length > 0) dropped += (await ledger.call('DEL', ...keys)) as number;
    cursor = next;
  } while (cursor !== '0');
  return dropped;
}

/** A portfolio with rows at every step and nobody at work. */
async function abandoned() {
  const place = await openWorkplace({ faults: { latencyMs: [5, 30] }, env: { SERVICE_CONCURRENCY: '4' } });
  await place.import(buyerLines(80));
  const workers = await place.work();
  await expect.poll(async () => (await place.report()).states.done).toBeGreaterThan(5);
  await workers.stop();
  const { states } = await place.report();
  const inProgress = states.company + states.documents + states.limit;
  expect(inProgress).toBeGreaterThan(0);
  return { ...place, inProgress };
}

test('reconcile finds nothing where nothing is wrong', async () => {
  const { context } = await abandoned();
  expect(await foundBy(context)).toEqual([]);
});

test('reconcile gives rows in progress their jobs back when the queues are gone, and nothing is made twice', async () => {
  const { context, inProgress, work, settled, standIn } = await abandoned();
  expect(await dropQueues({ context })).toBeGreaterThan(0);
  expect(await foundBy(context)).toEqual([
    { portfolio: 'q4', finding: 'rows in progress had no job; they have one again', rows: inProgress },
  ]);
  expect(await foundBy(context)).toEqual([]);
  await work();
  expect((await settled()).states.done).toBe(80);
  expect(standIn.counts().made).toMatchObject({ company: 80, limit: 80 });
  expect(standIn.madeTwice()).toEqual([]);
});

// Promises: rows-accounted-for, sums-change-with-the-row
test('reconcile counts a row in the state that it is in, in no other, and with its sum', async () => {
  const { context } = await abandoned();
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  await context.ledger.hset(context.keys.row('q4', found?.row.key ?? ''), 'state', 'limit');
  expect(await foundBy(context)).toEqual([
    { portfolio: 'q4', finding: 'rows were not counted in their state; this is corrected', rows: 1 },
    {
      portfolio: 'q4',
      finding: 'rows were counted in a wrong state or cause; this is corrected',
      rows: 1,
    },
    // What follows from its share, such as the column of its status, goes with that.
    { portfolio: 'q4', finding: 'rows were missing or wrong in the sums; this is corrected', rows: 1 },
    { portfolio: 'q4', finding: 'rows in progress had no job; they have one again', rows: expect.any(Number) },
  ]);
  expect(await foundBy(context)).toEqual([]);
});
