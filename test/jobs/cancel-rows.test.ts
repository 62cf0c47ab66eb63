import { expect, test } from 'vitest';
import { cancelRows } from '../../jobs/cancel-rows.ts';
import { retryRows } from '../../jobs/retry-rows.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

const ROWS = 60;

/** A portfolio that is given up while calls of every step are on their way. */
async function cancelledHalfway() {
  const place = await openWorkplace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '4' } });
  await place.import(buyerLines(ROWS));
  await place.work();
  await expect.poll(async () => (await place.report()).states.done).toBeGreaterThan(5);
  const cancelled = await cancelRows.run(cancelRows.parse({ portfolio: 'q4' }), place.context);
  return { ...place, cancelled };
}

test('gives up what is not sent, and writes down what was on its way', async () => {
  const { cancelled, settled, standIn } = await cancelledHalfway();
  const { states } = await settled();
  expect(states).toMatchObject({ cancelled, done: ROWS - cancelled });
  expect(cancelled).toBeGreaterThan(0);
  expect(standIn.counts().made.limit).toBe(states.done);
});

test('importing the file again brings the rows back, and makes nothing twice', async () => {
  const { settled, standIn, ...place } = await cancelledHalfway();
  await settled();
  await place.import(buyerLines(ROWS));
  expect((await settled()).states).toMatchObject({ done: ROWS, cancelled: 0 });
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: ROWS });
});

test('a retry brings them back too, each from the step that it had come to', async () => {
  const { cancelled, settled, standIn, context } = await cancelledHalfway();
  await settled();
  const payload = retryRows.parse({ portfolio: 'q4', state: 'cancelled' });
  expect(await retryRows.run(payload, context)).toBe(cancelled);
  expect((await settled()).states.done).toBe(ROWS);
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: ROWS });
});

test('a second time there is nothing left to give up', async () => {
  const { settled, context } = await cancelledHalfway();
  await settled();
  expect(await cancelRows.run({ portfolio: 'q4' }, context)).toBe(0);
});
