import { describe, expect, test } from 'vitest';
import { confirmPlan } from '../../../jobs/plans/carry-out.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import { makePlans } from '../../../src/ledger/plans/plan.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import type { RowFilter } from '../../../src/ledger/search/row-filter.ts';
import { afterThisMs, openPlanned, openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines } from '../../support/workplace.ts';

describe('a plan to retry refused rows', () => {
  // Promise: planned-before-acting
  test('shows the number of rows, their sum and their calls, and changes nothing', async () => {
    const { all, refuse, plan, states, context, outcome } = await openPlanned(4);
    for (const row of all.slice(0, 3)) await refuse(row);
    const [first] = await context.rows.read(all);
    // The first row's company was made for another row meanwhile.
    await context.ledger.hset(context.keys.call('company', first?.request.buyer ?? ''), {
      state: 'made',
      id: 'company_1',
    });
    const before = await context.ledger.hgetall(context.keys.portfolio('q4'));
    const made = await plan();
    expect(made).toMatchObject({
      rows: 3,
      sum: '3007.5',
      isExact: true,
      calls: { company: 2, document: 0, limit: 3 },
      made: { company: 1, document: 0, limit: 0 },
      filter: { states: ['refused'] },
    });
    expect(await states()).toMatchObject({ queued: 1, refused: 3 });
    expect(await context.ledger.hgetall(context.keys.portfolio('q4'))).toEqual(before);
    expect(await outcome(made.id)).toMatchObject({ standing: 'open', done: 0 });
  });

  // Promise: filter-by-outcome
  test('treats outcomes in its filter as states, and ignores states without such outcomes', async () => {
    const { all, refuse, plan } = await openPlanned(4);
    for (const row of all.slice(0, 3)) await refuse(row);
    const filterOf = async (filter: RowFilter) => {
      const made = await plan({ filter });
      return [made.filter, made.rows];
    };
    expect(await filterOf({ outcomes: ['rejected', 'approved'] })).toEqual([{ states: ['refused'] }, 3]);
    expect(await filterOf({ outcomes: ['approved'] })).toEqual([{ states: [] }, 0]);
    expect(await filterOf({ outcomes: ['rejected'], states: ['cancelled'] })).toEqual([{ states: [] }, 0]);
    // A replaced row is cancelled, too, but has no outcome.
    const notSent = { outcomes: ['not_sent' as const], states: ['cancelled'] };
    expect(await filterOf({ outcomes: ['not_sent'] })).toEqual([notSent, 0]);
  });

  // Promise: plan-acts-on-unchanged
  test('acts on the planned rows that did not change since, and counts the others', async () => {
    const { all, refuse, plan, confirm, stateOf, outcome, context } = await openPlanned(4);
    const [kept, went, again, later] = all as [never, never, never, never];
    for (const row of [kept, went, again]) await refuse(row);
    const { id, rows } = await plan();
    expect(rows).toBe(3);
    // One row is retried by somebody, one is retried and refused anew, and one without a plan is refused.
    await context.rows.requeue(went, 'refused');
    await context.rows.requeue(again, 'refused');
    await refuse(again);
    await refuse(later);
    expect(await confirm(id)).toBe('started');
    expect(await outcome(id)).toEqual({ standing: 'ended', done: 1, came: 2, underWay: 0 });
    expect(await Promise.all([kept, again, later].map(stateOf))).toEqual(['queued', 'refused', 'refused']);
  });

  // Promise: plan-counts-once
  test('starts once if it is confirmed several times simultaneously', async () => {
    const { all, refuse, plan, confirm, outcome } = await openPlanned(3);
    for (const row of all) await refuse(row);
    const { id } = await plan();
    const answers = await Promise.all([confirm(id), confirm(id), confirm(id)]);
    expect(answers.filter((is) => is === 'started')).toHaveLength(1);
    expect(answers.filter((is) => is === 'running' || is === 'ended')).toHaveLength(2);
    expect(await outcome(id)).toMatchObject({ standing: 'ended', done: 3 });
    for (const row of all) await refuse(row);
    expect(await confirm(id)).toBe('ended');
    expect(await outcome(id)).toMatchObject({ done: 3 });
  });

  // Promise: plan-counts-once
  test('is resumed after its process died, and sends nothing twice', async () => {
    const { all, refuse, plan, confirm, outcome, context, states } = await openPlanned(3);
    for (const row of all) await refuse(row);
    const { id, atMs } = await plan();
    expect(await context.plans.claim(id, 'a console', 'test')).toBe('go');
    await context.rows.requeue(all[0] as never, 'refused', true, { part: { plan: id, beforeMs: atMs } });
    expect(await confirm(id)).toBe('running');
    // The process has sent no heartbeat for longer than the limit.
    await context.ledger.hset(context.keys.plan(id), 'sign', atMs - 60_000);
    expect(await outcome(id)).toMatchObject({ standing: 'stopped', done: 1 });
    expect(await confirm(id)).toBe('started');
    expect(await outcome(id)).toMatchObject({ standing: 'ended', done: 3 });
    expect(await states()).toMatchObject({ queued: 3, refused: 0 });
    // The first process wakes up, and may no longer report.
    expect(await context.plans.note(id, 'a console')).toBe(false);
  });

  // Promise: plan-counts-once
  test('belongs to its account, and expires', async () => {
    const { all, refuse, plan, confirm, context, states } = await openPlanned(1);
    await refuse(all[0] as never);
    const { id, atMs, expiresMs } = await plan();
    expect(expiresMs - atMs).toBe(15 * 60_000);
    const other = makeKeys(context.settings.LIMITLINE_PREFIX, 'https://other.example');
    expect(await makePlans({ connection: context.ledger, keys: other }).read(id)).toBeUndefined();
    expect(await confirm('no-such-plan')).toBe('gone');
    expect(await context.ledger.pttl(context.keys.plan(id))).toBeLessThanOrEqual(16 * 60_000);
    await context.ledger.hset(context.keys.plan(id), 'expires', 1);
    expect(await confirm(id)).toBe('gone');
    expect(await states()).toMatchObject({ refused: 1 });
  });

  test('of states that cannot be retried contains no rows, and changes nothing', async () => {
    const { all, refuse, plan, confirm, outcome, states } = await openPlanned(2);
    await refuse(all[0] as never);
    const { id, rows, filter } = await plan({ filter: { states: ['queued', 'done'] } });
    expect({ rows, filter }).toEqual({ rows: 0, filter: { states: [] } });
    expect(await confirm(id)).toBe('started');
    expect(await outcome(id)).toMatchObject({ done: 0, came: 0 });
    expect(await states()).toMatchObject({ queued: 1, refused: 1 });
  });

  test('retries cancelled rows only if its filter names them', async () => {
    const { all, refuse, plan, confirm, context, states } = await openPlanned(2);
    await refuse(all[0] as never);
    await context.portfolios.cancel('q4');
    await context.rows.cancel(all[1] as never);
    expect(await plan()).toMatchObject({ rows: 1 });
    const both = await plan({ filter: { states: ['refused', 'cancelled', 'done'] } });
    expect(both).toMatchObject({ rows: 2, filter: { states: ['refused', 'cancelled'] } });
    await confirm(both.id);
    expect(await states()).toMatchObject({ queued: 2 });
  });
});

describe('a plan to cancel rows', () => {
  test('of the whole portfolio is refused after somebody retried rows', async () => {
    const { all, refuse, plan, confirm, context, states, outcome } = await openPlanned(4);
    for (const row of all.slice(1)) await refuse(row);
    const made = await plan({ action: 'cancel' });
    expect(made).toMatchObject({ rows: 1, whole: true });
    await context.rows.requeue(all[1] as never, 'refused');
    expect(await confirm(made.id)).toBe('changed');
    expect(await states()).toMatchObject({ queued: 2, refused: 2, cancelled: 0 });
    const anew = await plan({ action: 'cancel' });
    expect(anew).toMatchObject({ rows: 2, whole: true });
    expect(await confirm(anew.id)).toBe('started');
    expect(await outcome(anew.id)).toMatchObject({ done: 2 });
  });

  test('cancels the rows of its filter, and does not wait for calls under way', async () => {
    const { all, refuse, plan, confirm, outcome, context, states } = await openPlanned(4);
    const [refused, busy] = all as [never, never];
    await refuse(refused);
    const found = await context.rows.begin(busy, 'company');
    const call = context.keys.call('company', found?.request.buyer ?? '');
    await context.ledger.hset(call, {
      state: 'claimed',
      owner: 'other/1',
      row: `q4/${(all[1] as { key: string }).key}`,
    });
    const made = await plan({ action: 'cancel', filter: { states: ['queued', 'company', 'refused'], max: '1003.50' } });
    expect(made).toMatchObject({ rows: 3, whole: false, calls: { company: 0, limit: 0 } });
    await confirm(made.id);
    expect(await outcome(made.id)).toEqual({ standing: 'ended', done: 2, came: 0, underWay: 1 });
    expect(await states()).toMatchObject({ cancelled: 2, company: 1, queued: 1 });
    // No job of a cancelled row sends anything.
    expect((await context.rows.begin(all[2] as never, 'company'))?.state).toBe('cancelled');
  });

  test('cancels the whole portfolio, unless another file was imported since', async () => {
    const { plan, confirm, outcome, states, import: importLines } = await openPlanned(2);
    const old = await plan({ action: 'cancel' });
    expect(old).toMatchObject({ rows: 2, whole: true });
    await importLines(buyerLines(3));
    expect(await confirm(old.id)).toBe('changed');
    expect(await states()).toMatchObject({ queued: 3 });
    const { id } = await plan({ action: 'cancel' });
    expect(await confirm(id)).toBe('started');
    expect(await outcome(id)).toMatchObject({ standing: 'ended', done: 3 });
    expect(await states()).toMatchObject({ cancelled: 3 });
  });
});

test('a plan to resend held rows releases all of them, also after a late answer', async () => {
  const { all, hold, plan, confirm, outcome, states, context } = await openPlanned(3);
  for (const row of all) await hold(row);
  const { id, rows, calls } = await plan({ action: 'resend' });
  expect({ rows, calls }).toEqual({ rows: 3, calls: { company: 3, document: 0, limit: 3 } });
  // A late answer arrives for one of them.
  const [late] = await context.rows.read(all);
  await context.ledger.hset(context.keys.call('company', late?.request.buyer ?? ''), {
    state: 'made',
    id: 'company_9',
  });
  expect(await confirm(id)).toBe('started');
  expect(await outcome(id)).toMatchObject({ standing: 'ended', done: 3 });
  expect(await states()).toMatchObject({ queued: 3, held: 0 });
});

test('a row whose content changed since is not part of the plan', async () => {
  const { all, refuse, plan, confirm, outcome, import: importLines } = await openPlanned(2);
  await refuse(all[0] as never);
  const { id } = await plan({ action: 'cancel', filter: { states: ['queued'] } });
  await importLines(buyerLines(2).map((line) => line.replace('Buyer 2 GmbH', 'Buyer 2 Gmbh')));
  await confirm(id);
  expect(await outcome(id)).toMatchObject({ done: 0 });
});

test('a plan to resend held rows shows whether it resends the supplier, and does so only then', async () => {
  const { all, hold, plan, confirm, context } = await openPlanned(2);
  const { calls, ledger, keys, portfolios } = context;
  const call = { kind: 'company', key: 'buyer-of-supplier' } as const;
  await hold(all[0] as never);
  const before = await plan({ action: 'resend' });
  expect(before).toMatchObject({ supplier: undefined, calls: { company: 1 } });
  // The supplier's outcome becomes unknown after the plan was made.
  await ledger.hset(keys.portfolio('q4'), 'supplier', JSON.stringify({ body: {}, key: call.key, problem: 'lost' }));
  await ledger.hset(keys.call('company', call.key), { state: 'unknown' });
  await confirm(before.id);
  expect(await calls.isUnknown(call)).toBe(true);
  await hold(all[1] as never);
  const { id, supplier, calls: planned } = await plan({ action: 'resend' });
  expect({ supplier, company: planned.company }).toMatchObject({ supplier: { key: call.key }, company: 2 });
  await confirm(id);
  expect(await calls.isUnknown(call)).toBe(false);
  expect((await portfolios.read('q4')).supplier?.problem).toBeUndefined();
});

test('cancelling a whole portfolio counts rows that only waited to be retried', async () => {
  const { approve, all, refuse, context, states } = await openPortfolio(2);
  await approve();
  for (const row of await all('queued')) await refuse(row);
  await retryRows({ portfolio: 'q4', state: 'refused', by: 'alice' }, context);
  expect(await states()).toMatchObject({ awaiting: 2 });
  await afterThisMs(context);
  const { id, rows, whole } = await makePlan({ portfolio: 'q4', action: 'cancel', filter: {} }, context);
  expect({ rows, whole }).toEqual({ rows: 2, whole: true });
  const confirmed = await confirmPlan(
    { id, by: 'alice' },
    { awaitMs: 0, signal: new AbortController().signal },
    context,
  );
  if (confirmed.is === 'started') await confirmed.ended;
  expect(await states()).toMatchObject({ refused: 2, awaiting: 0 });
  expect(await context.plans.read(id)).toMatchObject({ standing: 'ended', done: 2, underWay: 0 });
});
