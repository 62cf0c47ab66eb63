import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { exportedText } from '../../support/exported.ts';
import { foundBy } from '../../support/found-by.ts';
import { retryRows } from '../../support/operate.ts';
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

test('reconcile gives rows in progress their jobs back when the queues are gone, and nothing is made twice', async () => {
  const { context, inProgress, work, settled, standIn } = await abandoned();
  expect(await foundBy(context)).toEqual([]);
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

test('a check that is to stop reads no trail to its end', async () => {
  const { context } = await openWorkplace();
  await context.audit.note({ by: 'alice', what: 'one', from: 'test' });
  await expect(context.audit.verify(undefined, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

// Promise: night-verifies-trail
test('a trail from which an entry was taken is found at night, and one that is whole is not', async () => {
  const { context } = await openWorkplace();
  const keys = makeSharedKeys(context.settings.LIMITLINE_PREFIX);
  for (const what of ['one', 'two', 'three']) await context.audit.note({ by: 'alice', what, from: 'test' });
  expect(await foundBy(context)).toEqual([]);
  const entries = await context.ledger.xrange(keys.audit, '-', '+');
  await context.ledger.xdel(keys.audit, entries.at(-2)?.[0] ?? '');
  expect(await foundBy(context)).toEqual([
    { portfolio: '', finding: 'the audit trail does not hold: entries are missing, or were changed', rows: 1 },
  ]);
});

// Promise: made-twice-is-shown
test('a limit that was made twice is in the report, in the errors file and among what reconcile finds', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(2));
  await place.work();
  await place.settled();
  const { context } = place;
  const [first] = await context.rows.inState('q4', 'done', { count: 1 });
  if (!first) throw new Error('no row is done');
  // What "resend" may lead to: the first send, believed lost, comes back with its own id.
  const thing = { kind: 'limit', key: first.row.key, row: first.row } as const;
  const { id } = await context.calls.settle(thing, 'late/1', { id: 'bl_late', record: {}, buyer: 'b' });

  const report = await place.report();
  expect(report).toMatchObject({ madeTwice: 1, states: { done: 2 } });
  expect(summaryTable(report, { supplier: undefined, paused: undefined, interrupted: false })).toContain(
    'MADE TWICE: 1',
  );
  const errors = await exportedText(context, { only: 'errors' });
  const lines = errors.trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`Made twice at the service: ${id} and bl_late`);
  expect(await foundBy(context)).toEqual([
    { portfolio: 'q4', finding: `a limit was made twice: ${id} and bl_late`, rows: 1 },
  ]);
});

// Promise: check-at-any-time
test('reconcile finds nothing however often it looks while rows come in, go on, are refused and are sent again', async () => {
  const place = await openWorkplace({
    faults: { latencyMs: [1, 8], rules: [{ on: 'limit', every: 6, times: 20, fault: 'status', status: 422 }] },
    env: { SERVICE_CONCURRENCY: '6', CANARY_REFUSALS: '0' },
  });
  const { context } = place;
  let isOver = false;
  const working = (async () => {
    await place.import(buyerLines(40), { portfolio: 'first' });
    await Promise.all([place.work(), place.work()]);
    await place.import(buyerLines(20), { portfolio: 'q4' });
    await place.import(buyerLines(50), { portfolio: 'q4' });
    await place.settled('first');
    await retryRows({ portfolio: 'first', state: 'refused' }, context);
    await Promise.all([place.settled('first'), place.settled('q4')]);
  })().finally(() => {
    isOver = true;
  });
  const looks: unknown[] = [];
  while (!isOver) looks.push(...(await foundBy(context, { lookAgainMs: 0 })));
  await working;
  expect([...looks, ...(await foundBy(context, { lookAgainMs: 0 }))]).toEqual([]);
  expect(place.standIn.madeTwice()).toEqual([]);
});
