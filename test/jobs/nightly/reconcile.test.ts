import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines, exportedText, foundBy, openWorkplace } from '../../support/workplace.ts';

// Promises: rows-accounted-for, sums-change-with-the-row
test('reconcile counts a row in its own state only, and with its sum', async () => {
  const { context, ...place } = await openWorkplace({
    faults: { latencyMs: [5, 30] },
    env: { SERVICE_CONCURRENCY: '4' },
  });
  await place.import(buyerLines(80));
  const workers = await place.work();
  await expect.poll(async () => (await place.report()).states.done).toBeGreaterThan(5);
  await workers.stop();
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  await context.ledger.hset(context.keys.row('q4', found?.row.key ?? ''), 'state', 'limit');
  expect(await foundBy(context)).toEqual([
    { portfolio: 'q4', finding: 'rows were not counted in their state; this is corrected', rows: 1 },
    { portfolio: 'q4', finding: 'rows were counted in a wrong state or cause; this is corrected', rows: 1 },
    // Dependent counts, such as the column of its status, are part of this finding.
    { portfolio: 'q4', finding: 'rows were missing or wrong in the sums; this is corrected', rows: 1 },
    { portfolio: 'q4', finding: 'rows in progress had no job; they have one again', rows: expect.any(Number) },
  ]);
  expect(await foundBy(context)).toEqual([]);
});

test('verifying the audit trail stops with its signal', async () => {
  const { context } = await openWorkplace();
  await context.audit.note({ by: 'alice', what: 'one', from: 'test' });
  await expect(context.audit.verify(undefined, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

// Promise: night-verifies-trail
test('reconcile finds an audit trail from which an entry was deleted, and accepts a complete one', async () => {
  const { context } = await openWorkplace();
  const keys = makeSharedKeys(context.settings.LIMITLINE_PREFIX);
  for (const what of ['one', 'two', 'three']) await context.audit.note({ by: 'alice', what, from: 'test' });
  expect(await foundBy(context)).toEqual([]);
  const entries = await context.ledger.xrange(keys.audit, '-', '+');
  await context.ledger.xdel(keys.audit, entries.at(-2)?.[0] ?? '');
  expect(await foundBy(context)).toEqual([
    { portfolio: '', finding: 'the audit trail is broken: entries are missing, or were changed', rows: 1 },
  ]);
});

// Promise: made-twice-is-shown
test('a limit made twice is shown in the report, in the errors file and by reconcile', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(2));
  await place.work();
  await place.settled();
  const { context } = place;
  const [first] = await context.rows.inState('q4', 'done', { count: 1 });
  if (!first) throw new Error('no row is done');
  // This can follow from "resend": the first send, believed lost, is answered late with an id of its own.
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
test('repeated reconcile runs find nothing while rows are imported, sent, refused and retried', async () => {
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
