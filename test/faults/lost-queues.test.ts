import { expect, test } from 'vitest';
import { reconcile } from '../../jobs/reconcile.ts';
import type { Context } from '../../src/context.ts';
import { QUEUES } from '../../src/queue/queues.ts';
import { buyerLines } from '../support/workplace.ts';
import { openFaultPlace } from './fault-place.ts';

const ROWS = 150;

test('workers heal a line that lost all queue keys in the middle of a run, several times', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(ROWS));
  await Promise.all([place.work(), place.work()]);
  for (const made of [40, 120, 200]) {
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(made);
    expect(await deleteQueues(place.context)).toBeGreaterThan(0);
  }
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
});

test('reconcile gives rows their jobs back when all queue keys were lost and no worker runs', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(ROWS));
  const first = await place.work();
  await expect.poll(() => place.standIn.counts().made.limit).toBeGreaterThan(20);
  await first.stop();
  await deleteQueues(place.context);
  const { states } = await place.report();
  expect(states.company + states.limit).toBeGreaterThan(0);

  const findings = await reconcile.run({}, place.context);
  expect(findings).toMatchObject([{ portfolio: 'q4', rows: states.company + states.documents + states.limit }]);
  expect(await reconcile.run({}, place.context)).toEqual([]);
  await place.work();
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
});

/** Deletes all that BullMQ knows, and answers how many keys that were. */
async function deleteQueues({ ledger, keys }: Context): Promise<number> {
  let deleted = 0;
  for (const queue of QUEUES) {
    const found = await ledger.keys(`${keys.queuePrefix(queue)}:*`);
    if (found.length > 0) deleted += await ledger.del(...found);
  }
  return deleted;
}
