import { expect, onTestFinished, test, vi } from 'vitest';
import { carryOutAllAnswered, closeLeft } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';

/** Two held rows, and a function that answers for their companies. */
async function openAnswered() {
  const place = await openPortfolio(2);
  await place.approve();
  const rows = (await place.all('queued')) as [RowId, RowId];
  for (const row of rows) await place.hold(row);
  const say = (line: number, made: string | undefined) =>
    resolveCalls({ portfolio: 'q4', line, made, by: 'olivia' }, place.context);
  const callOf = async (row: RowId) => {
    const [result] = await place.context.rows.read([row]);
    return { kind: 'company', key: result?.request.buyer ?? '' } as const;
  };
  return { ...place, rows, answer: say, callOf };
}

test('an approved id counts as made, and the history shows its author', async () => {
  const { answer, approve, rows, callOf, context, states } = await openAnswered();
  await answer(2, 'company_77');
  expect(await context.calls.madeId(await callOf(rows[0]))).toBeUndefined();
  await approve();
  expect(await context.calls.madeId(await callOf(rows[0]))).toBe('company_77');
  expect(await states()).toMatchObject({ queued: 1, held: 1, awaiting: 0 });
  const story = await context.stories.entries(rows[0]);
  expect(story).toContainEqual(expect.objectContaining({ is: 'resolved', by: 'olivia', made: 'company_77' }));
  expect(story).toContainEqual(expect.objectContaining({ is: 'asked', by: 'olivia', from: 'held' }));
});

// Promise: answers-carried-out
test('an approved answer that was not carried out is finished from any step', async () => {
  const { answer, waiting, say, rows, callOf, context, states } = await openAnswered();
  await answer(2, undefined);
  const { id, digest } = await waiting();
  expect(await say({ id, digest })).toMatchObject({ is: 'done' });
  // The process is killed at once or after resolving the call. The next process finishes it, and the row is not held
  // meanwhile.
  expect(await states()).toMatchObject({ awaiting: 1 });
  const call = await callOf(rows[0]);
  await context.calls.resolve([call], call.key, undefined);
  expect(await context.calls.isUnknown(call)).toBe(false);
  await carryOutAllAnswered(context);
  expect(await states()).toMatchObject({ queued: 1, held: 1 });
  expect(await context.approvals.answered()).toEqual([]);
  await carryOutAllAnswered(context);
  expect(await states()).toMatchObject({ queued: 1, held: 1 });
});

test('an approved id that meanwhile belongs to another call is refused, and the row stays held', async () => {
  const { answer, approve, rows, callOf, context, states } = await openAnswered();
  await answer(2, 'company_77');
  const other = { ...(await callOf(rows[1])), row: rows[1] };
  await context.calls.settle(other, 'late/1', { id: 'company_77', record: {}, buyer: other.key });
  await approve();
  expect(await context.calls.madeId(await callOf(rows[0]))).toBeUndefined();
  expect(await states()).toMatchObject({ awaiting: 0 });
  expect((await context.rows.read([rows[0]]))[0]?.state).toBe('held');
  expect(await context.approvals.answered()).toEqual([]);
});

test('an approved answer does not apply to a call that was sent again before the answer', async () => {
  const { approve, rows, callOf, context } = await openAnswered();
  const { ledger, keys, plans, calls } = context;
  const lookedMs = await plans.now();
  const call = await callOf(rows[0]);
  await ledger.hset(keys.call(call.kind, call.key), { lostAt: lookedMs + 1, notedAt: lookedMs + 1 });
  await expect.poll(plans.now).toBeGreaterThan(lookedMs + 1);
  await resolveCalls({ portfolio: 'q4', line: 2, lookedMs, by: 'olivia' }, context);
  await approve();
  expect(await calls.isUnknown(call)).toBe(true);
  expect((await context.rows.read([rows[0]]))[0]?.state).toBe('held');
});

test('an approval request that a killed process left open can be answered after a while', async () => {
  const { rows, context, states, waiting, approve } = await openAnswered();
  const { approvals, ledger, keys } = context;
  const id = await approvals.askFor({ portfolio: 'q4', kind: 'answer', by: 'olivia' });
  expect(await approvals.awaitRow(rows[0], 'held', { id, by: 'olivia', said: 'company_77' })).toBe(true);
  // Many questions were asked since.
  for (let n = 0; n < 25; n += 1) {
    const other = await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'olivia' });
    await approvals.close({ portfolio: 'q4', id: other }, { always: true, above: undefined });
  }
  // The clock of this host does not count.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await closeLeft(context);
  expect(await approvals.waiting()).toEqual([]);
  vi.useRealTimers();
  await ledger.hset(keys.approval(id), 'asked', Date.now() - 3_600_000);
  await closeLeft(context);
  expect(await waiting()).toMatchObject({ id, rows: 1, authors: ['olivia'] });
  await approve();
  expect(await states()).toMatchObject({ queued: 1, held: 1 });
});

test.each(['command', 'plan'])('a cancelled portfolio has no waiting answer for a held limit: by a %s', async (by) => {
  const { rows, context, states, approve } = await openAnswered();
  const [row] = rows;
  const { ledger, keys } = context;
  // The company is known now. The outcome of the limit is unknown.
  await ledger.hset(keys.row('q4', row.key), { step: 'limit', company: 'company_1' });
  await ledger.hset(keys.call('limit', row.key), { state: 'unknown', row: `q4/${row.key}`, lostAt: 1, open: 1 });
  await resolveCalls({ portfolio: 'q4', line: 2, by: 'olivia' }, context);
  expect(await states()).toMatchObject({ awaiting: 1, held: 1 });
  if (by === 'command') {
    const began = performance.now();
    expect(await cancelRows({ portfolio: 'q4', awaitMs: 60_000 }, context)).toMatchObject({ answered: 0, open: 0 });
    expect(performance.now() - began).toBeLessThan(30_000);
  } else {
    // A plan skips rows that changed in its own millisecond.
    const now = await context.plans.now();
    await expect.poll(() => context.plans.now()).toBeGreaterThan(now);
    const request = { action: 'cancel', portfolio: 'q4', filter: { states: ['awaiting'] } } as const;
    const how = { by: 'olivia', dryRun: false, awaitMs: 0, signal: new AbortController().signal };
    await actOnRows(request, how, context);
  }
  expect(await states()).toMatchObject({ awaiting: 0, held: 2 });
  expect(await context.approvals.waiting()).toEqual([]);
  await expect(approve()).rejects.toThrow('nothing waits');
});

test('an approved answer that cannot be carried out does not stop the others', async () => {
  const { answer, rows, context, states } = await openAnswered();
  const { approvals, ledger, keys } = context;
  for (const line of [2, 3]) await answer(line, undefined);
  for (const { id, digest } of await approvals.waiting()) await approvals.grant({ id, digest, by: 'bob' });
  // The row of the first answer is damaged.
  await ledger.hset(keys.row('q4', rows[0].key), 'request', 'nothing that can be read');
  await expect(carryOutAllAnswered(context)).rejects.toThrow();
  expect(await states()).toMatchObject({ awaiting: 1, queued: 1 });
});
