import { expect, test, vi } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const ROWS = 40;

/** A portfolio that is cancelled while calls of every step are under way. */
async function cancelledHalfway() {
  const place = await openWorkplace({ faults: { latencyMs: [100, 200] }, env: { SERVICE_CONCURRENCY: '4' } });
  await place.import(buyerLines(ROWS));
  await place.work();
  await expect.poll(async () => (await place.report()).states.done).toBeGreaterThan(5);
  const ended = await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  return { ...place, ...ended };
}

test('cancel stops unsent rows and waits for calls under way, and a retry resumes each row at its step', async () => {
  const { cancelled, open, report, settled, standIn, context } = await cancelledHalfway();
  // No call is under way when cancel returns.
  expect(open).toBe(0);
  const { states } = await report();
  expect(states).toMatchObject({ cancelled, done: ROWS - cancelled });
  expect(cancelled).toBeGreaterThan(0);
  expect(standIn.counts().made.limit).toBe(states.done);
  expect(await cancelRows({ portfolio: 'q4' }, context)).toEqual({ cancelled: 0, answered: 0, open: 0, restored: 0 });
  expect(await retryRows({ portfolio: 'q4', state: 'cancelled' }, context)).toEqual({ rows: cancelled });
  expect((await settled()).states.done).toBe(ROWS);
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: ROWS });
});

// Promise: nothing-sent-after-cancel
test('nothing is sent after cancel has returned, even if rows move during it', async () => {
  const place = await openWorkplace({ env: { SERVICE_CONCURRENCY: '32' } });
  const lines = buyerLines(700);
  await place.import(lines);
  await Promise.all([place.work(), place.work()]);
  await expect.poll(() => place.standIn.counts().made.limit).toBeGreaterThan(50);
  await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  const { made } = place.standIn.counts();
  const { states } = await place.report();
  expect(states).toMatchObject({ queued: 0, company: 0, documents: 0, limit: 0, held: 0, done: made.limit });
  expect(states.cancelled + states.done).toBe(700);
  // The next portfolio shows that the workers still work, so they had time to send a cancelled row.
  const [header = '', ...others] = buyerLines(740);
  await place.import([header, ...others.slice(700)], { portfolio: 'next' });
  await place.settled('next');
  expect(place.standIn.counts().made.limit).toBe(made.limit + 40);
});

test('cancel neither waits for nor cancels a row whose sender vanished', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(2));
  const { rows, calls } = place.context;
  const [first] = await rows.inState('q4', 'queued', { count: 1 });
  const row = first?.row ?? { portfolio: '', key: '' };
  const taken = await rows.begin(row, 'company');
  const company = { kind: 'company', key: taken?.request.buyer ?? '', row, revision: taken?.revision } as const;
  await calls.claim(company, { owner: 'gone/1', onUnknown: 'hold' });
  expect(await cancelRows({ portfolio: 'q4', awaitMs: 60_000 }, place.context)).toEqual({
    cancelled: 1,
    answered: 0,
    open: 1,
    restored: 0,
  });
  await place.work();
  expect((await place.settled()).states).toMatchObject({ held: 1, cancelled: 1 });
});

test('an import after a cancel counts as later, even if the clock of the cancelling machine is ahead', async () => {
  const { context, import: importLines } = await openWorkplace();
  await importLines(buyerLines(2));
  const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  await cancelRows({ portfolio: 'q4' }, context);
  ahead.mockRestore();
  await importLines([...buyerLines(1), 'Faulty GmbH,DE,HRB 9,-5']);
  const { rowsGivenUpMs = Number.NaN } = await context.portfolios.read('q4');
  const [first, last] = await context.portfolios.allImports('q4');
  // The nightly check lists only the lines of the second file.
  expect([first?.lastMs, rowsGivenUpMs, last?.lastMs]).toEqual(
    [first?.lastMs, rowsGivenUpMs, last?.lastMs].toSorted((one = 0, other = 0) => one - other),
  );
});
