import { expect, test } from 'vitest';
import { makeHeldPlans } from '../../../jobs/operators/held-plans.ts';
import { planHeldFile, resolvePlan } from '../../../jobs/operators/plan-held-file.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { confirmPlan } from '../../../jobs/plans/carry-out.ts';
import { planPage } from '../../../src/console/pages/held/plan-page.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openPlanned, openPortfolio } from '../../support/approved-portfolio.ts';

/** One held row. `again` resends its call as a person would, and the outcome is unknown once more. */
async function openHeld() {
  const place = await openPlanned(1);
  const { context, hold, all, plan } = place;
  const [row] = all as [RowId, ...RowId[]];
  await hold(row);
  const [held] = await context.rows.read([row]);
  const call = { kind: 'company', key: held?.request.buyer ?? '' } as const;
  const [owner, problem] = ['w1/1', { step: 'company', message: 'nobody knows' } as const];
  const again = async () => {
    // The plan needs a later millisecond.
    await plan();
    await context.calls.resolve([call], call.key, undefined);
    await context.rows.requeue(row, 'held');
    await context.rows.begin(row, 'company');
    expect(await context.calls.claim({ ...call, row }, { owner, onUnknown: 'hold' })).toMatchObject({ is: 'go' });
    await context.calls.doubt({ ...call, row }, owner, 'reset');
    await context.rows.advance(row, 'company', 'held', { problem });
  };
  return { ...place, row, call, heldMs: held?.updatedMs ?? 0, again };
}

test('an answer in the console applies only to the call that was shown, not to one sent since', async () => {
  const { context, row, call, heldMs, again } = await openHeld();
  await again();
  const said = { portfolio: 'q4', row: row.key, by: 'test' };
  await expect(resolveCalls({ ...said, heldMs }, context)).rejects.toMatchObject({
    message: expect.stringContaining('is held anew: look at it again'),
  });
  expect(await context.calls.isUnknown(call)).toBe(true);
  const [now] = await context.rows.read([row]);
  expect(await resolveCalls({ ...said, heldMs: now?.updatedMs ?? 0 }, context)).toMatchObject({ calls: 1, rows: 1 });
});

test('an answer file does not apply to a call that was sent again meanwhile', async () => {
  const { context, call, again, states } = await openHeld();
  // The doubt is newer than the previous one by at least a millisecond.
  await again();
  const file = { words: [{ at: 2, row: '', line: 2, made: undefined }], problems: [], silent: 0 };
  const plan = await planHeldFile('q4', file as never, context);
  expect(plan.planned).toHaveLength(1);
  await again();
  expect(await resolvePlan(plan, context, () => {}, { by: 'test' })).toMatchObject({ calls: 0, rows: 0 });
  expect(await context.calls.isUnknown(call)).toBe(true);
  expect(await states()).toMatchObject({ held: 1 });
});

test('a row with a damaged amount can be answered if no rule requires approval', async () => {
  const { context, row } = await openHeld();
  const key = context.keys.row('q4', row.key);
  const request = JSON.parse((await context.ledger.hget(key, 'request')) ?? '');
  request.limit.requested_limit = '?';
  await context.ledger.hset(key, 'request', JSON.stringify(request));
  const file = { fileName: 'held.csv', content: Buffer.from('line,id\n2,resend\n') };
  expect(await makeHeldPlans(context).plan('q4', file, 'test')).toMatchObject({ approvals: [] });
});

// Promise: answers-need-confirmation
test('a second click on a changed plan does not confirm the new plan', async () => {
  const { context, call, again } = await openHeld();
  const plans = makeHeldPlans(context);
  const { id } = await plans.plan('q4', { fileName: 'held.csv', content: Buffer.from('line,id\n2,resend\n') }, 'test');
  await again();
  const changed = await plans.confirm(id, 'q4', 'test');
  expect(await plans.confirm(id, 'q4', 'test')).toEqual({ is: 'unknown' });
  expect(await context.calls.isUnknown(call)).toBe(true);
  const shown = changed.is === 'changed' ? changed.plan.id : '';
  expect(await plans.confirm(shown, 'q4', 'test')).toMatchObject({ is: 'done', resolution: { calls: 1 } });
});

test('an answer does not apply to a call that another row sent again after the plan', async () => {
  const { context, row, call, heldMs, again } = await openHeld();
  await again();
  const plans = makeHeldPlans(context);
  const [now] = await context.rows.read([row]);
  const said = { row, atMs: now?.updatedMs ?? heldMs, made: undefined };
  const { id } = await plans.planAnswers([said], { back: 'row', by: 'test' });
  // Another row shares the call. The time of this held row is unchanged.
  await again();
  await context.ledger.hset(context.keys.row('q4', row.key), 'updated', now?.updatedMs ?? 0);
  expect(await plans.confirm(id, undefined, 'test')).toMatchObject({ is: 'changed' });
  expect(await context.calls.isUnknown(call)).toBe(true);
});

test('a resend plan skips rows that were sent again between the look-up and the action', async () => {
  const { context, call, plan, again, states, outcome } = await openHeld();
  const { id } = await plan({ action: 'resend' });
  const rows = {
    ...context.rows,
    page: async (...args: Parameters<typeof context.rows.page>) => {
      const found = await context.rows.page(...args);
      // The row is sent again between the look-up and the action.
      await again();
      return found;
    },
  };
  const limits = { awaitMs: 0, signal: new AbortController().signal };
  const confirmed = await confirmPlan({ id, by: 'test' }, limits, { ...context, rows });
  expect(confirmed.is).toBe('started');
  if (confirmed.is === 'started') await confirmed.ended;
  expect(await context.calls.isUnknown(call)).toBe(true);
  expect(await states()).toMatchObject({ held: 1 });
  expect(await outcome(id)).toMatchObject({ done: 0 });
});

test('confirming uploaded decisions as a plan for held rows is refused, and keeps them', async () => {
  const { context } = await openPlanned(1);
  const plans = makeHeldPlans(context);
  await context.plans.keepAnswer('an-id', JSON.stringify({ packed: '' }));
  expect(await plans.portfoliosOf('an-id')).toEqual([]);
  expect(await plans.confirm('an-id', undefined, 'otto')).toEqual({ is: 'unknown' });
  expect(await context.plans.answer('an-id')).not.toBeNull();
});

// Promise: plan-says-who-must-approve
test.each<[settings: Record<string, string>, why: string | undefined]>([
  [{ APPROVE_ABOVE: '2500' }, 'These rows ask for 3,007.50 in all, which is above 2,500.00.'],
  [{ APPROVE_ALWAYS: 'on' }, "Every request waits for another person's approval here."],
  [{ APPROVE_ABOVE: '9000' }, undefined],
])(
  'under %o a plan of answers shows before its confirmation whether a colleague has to approve it',
  async (settings, why) => {
    const { context, approve, all, hold, states } = await openPortfolio(3, settings);
    if ((await states()).awaiting > 0) await approve();
    for (const row of await all('queued')) await hold(row);
    const plans = makeHeldPlans(context);
    const content = Buffer.from('line,id\n2,company_9\n3,resend\n4,resend\n');
    const plan = await plans.plan('q4', { fileName: 'held.csv', content }, 'olivia');
    expect(plan.approvals).toEqual(why === undefined ? [] : [{ portfolio: 'q4', why }]);
    const page = String(planPage({ plan, csrf: '' })).replace(/<\/?data[^>]*>/g, '');
    const before = /A colleague must approve this first\..*nothing is sent before somebody else/su;
    if (why === undefined) {
      expect(page).not.toMatch(before);
      expect(page).toContain('Confirm that company_9 exists, and ask again for');
    } else {
      expect(page).toMatch(before);
      expect(page).toContain(`${why?.replaceAll("'", '&#39;')} Once you confirm it`);
      expect(page).toContain('Ask a colleague to approve it');
      expect(page).not.toContain('Confirm that company_9 exists');
    }
    const done = await plans.confirm(plan.id, 'q4', 'olivia');
    expect(done).toMatchObject({
      is: 'done',
      resolution: why === undefined ? { calls: 3 } : { calls: 0, waits: [{ rows: 3 }] },
    });
  },
);

// Promise: plan-says-who-must-approve
test('a plan for two portfolios promises to carry out only the answers that need no approval', () => {
  const one = {
    line: 2,
    import: 'a.csv',
    kind: 'limit',
    step: 'limit',
    name: 'A',
    requested_limit: '10',
    currency: undefined,
  } as const;
  const more = { ...one, sentMs: 1, heldMs: 1, strange: undefined };
  const of = [
    { ...more, row: `q4/${'a'.repeat(16)}`, made: 'bl_1' },
    { ...more, row: `q5/${'b'.repeat(16)}` },
  ];
  const none = { elsewhere: [], paused: [], silent: 0, late: 0, problems: [] };
  const plan = {
    id: 'x',
    portfolio: undefined,
    of,
    approvals: [{ portfolio: 'q5', why: 'Some were declined.' }],
    ...none,
  };
  const page = String(planPage({ plan, csrf: '' }));
  expect(page).toContain('Confirm that bl_1 exists; ask a colleague to approve the rest');
  expect(page).toContain('“q5”: Some were declined. Once you confirm it');
});
