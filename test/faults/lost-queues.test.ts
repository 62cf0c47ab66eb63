import { expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { QUEUES } from '../../src/queue/queues.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines, foundBy } from '../support/workplace.ts';

const ROWS = 60;

/** Everything that BullMQ keeps, or everything except the jobs, as an incomplete deletion leaves it. */
const LOSSES = ['all keys', 'all keys but the jobs'] as const;

// Promise: lost-jobs-made-again
test.each(LOSSES)('workers make lost jobs again after the loss of %s of the queues during a run', async (lost) => {
  const place = await openFaultPlace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(ROWS));
  await Promise.all([place.work(), place.work()]);
  for (const made of [15, 45, 80]) {
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(made);
    await expect.poll(() => deleteQueues(lost, place.context)).toBeGreaterThan(0);
  }
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
});

test.each(LOSSES)('reconcile makes lost jobs again after the loss of %s, while no worker runs', async (lost) => {
  const place = await openFaultPlace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(ROWS));
  const first = await place.work();
  await expect.poll(() => place.standIn.counts().made.limit).toBeGreaterThan(8);
  await first.stop();
  await deleteQueues(lost, place.context);
  const { states } = await place.report();
  expect(states.company + states.limit).toBeGreaterThan(0);

  const findings = await foundBy(place.context);
  expect(findings).toMatchObject([{ portfolio: 'q4', rows: states.company + states.documents + states.limit }]);
  expect(await foundBy(place.context)).toEqual([]);
  await place.work();
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
});

/** Returns the number of deleted keys. */
async function deleteQueues(lost: (typeof LOSSES)[number], { ledger, keys }: Context): Promise<number> {
  let deleted = 0;
  for (const queue of QUEUES) {
    for (const key of await ledger.keys(`${keys.queuePrefix(queue)}:*`)) {
      const isJob = key.includes('/') && !key.endsWith(':lock');
      if (lost === 'all keys' || !isJob) deleted += await ledger.del(key);
    }
  }
  return deleted;
}
