import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { makeHeldPlans } from '../../../jobs/operators/held-plans.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openPortfolio, resendHeld } from '../../support/approved-portfolio.ts';
import { buyerLines } from '../../support/workplace.ts';

const by = 'olivia';

/**
 * Three held rows, of which two are below the limit. Their resend waits for approval. With `elsewhere`, a row of
 * another portfolio with this amount is held for the first row's call.
 */
async function openAsked(elsewhere = '') {
  const place = await openPortfolio(3, { APPROVE_ABOVE: '2500', APPROVE_WINDOW_DAYS: '0' });
  await place.approve();
  const rows = (await place.all('queued')) as [RowId, RowId, RowId];
  for (const row of rows) await place.hold(row);
  if (elsewhere !== '') await holdElsewhere(place, elsewhere);
  expect((await resendHeld({ by }, place.context)).waits).toMatchObject({ rows: 3 });
  const sayNo = async () => {
    const { id, digest } = await place.waiting();
    expect(await place.say({ id, digest, answer: 'decline', words: 'ask first' })).toMatchObject({ is: 'done' });
  };
  const decline = async () => {
    await sayNo();
    await carryOutAllAnswered(place.context);
  };
  const one = (line: number, made?: string, portfolio = 'q4') =>
    resolveCalls({ portfolio, line, made, by }, place.context);
  return { ...place, rows, sayNo, decline, one };
}

async function holdElsewhere(place: Awaited<ReturnType<typeof openPortfolio>>, amount: string): Promise<void> {
  await place.import([...buyerLines(1), `Buyer 1 GmbH,DE,HRB 1,${amount}`], { portfolio: 'q5' });
  if ((await place.context.approvals.waiting()).length > 0) await place.approve();
  const [, other] = await place.context.rows.inState('q5', 'queued', { count: 9 });
  if (!other) throw new Error('no second row');
  await place.hold(other.row);
}

/** The same after a decline. */
async function openDeclined(elsewhere = '') {
  const place = await openAsked(elsewhere);
  await place.decline();
  expect(await place.states()).toMatchObject({ held: 3, awaiting: 0 });
  return place;
}

// Promises: declined-call-stays-in-doubt, declined-statement-waits-again
test('a held row whose answer was declined waits for approval, whatever the answer and its sum', async () => {
  const { context, one, decline, waiting, states } = await openDeclined();
  for (const made of [undefined, 'company_77']) {
    expect(await one(2, made)).toMatchObject({ calls: 0, rows: 0, waits: { rows: 1 } });
    expect(await waiting()).toMatchObject({ redone: 'by bob: ask first' });
    await decline();
  }
  const file = { fileName: 'held.csv', content: Buffer.from('line,id\n3,resend\n') };
  const plans = makeHeldPlans(context);
  const { id } = await plans.plan('q4', file, by);
  expect(await plans.confirm(id, 'q4', by)).toMatchObject({
    is: 'done',
    resolution: { calls: 0, waits: [{ rows: 1 }] },
  });
  await decline();
  expect(await makePlan({ portfolio: 'q4', action: 'resend', filter: { max: '1001.5' } }, context)).toMatchObject({
    rows: 1,
    approval: 'Some of what was asked for here was declined before, by bob: ask first.',
  });
  expect(await states()).toMatchObject({ held: 3, queued: 0 });
});

// Promise: declined-statement-waits-again
test('a declined answer counts until a later approval, or until the service answers', async () => {
  const { context, rows, one, approve, hold, states } = await openDeclined();
  await one(2);
  await approve();
  expect(await states()).toMatchObject({ held: 2, queued: 1 });
  // The row is in doubt anew, and nobody has declined that.
  await hold(rows[0]);
  expect(await one(2)).toMatchObject({ calls: 1, rows: 1 });
  const [found] = await context.rows.read([rows[1]]);
  const call = { kind: 'company', key: found?.request.buyer ?? '', row: rows[1] } as const;
  await context.calls.settle(call, 'late/1', { id: 'company_2', record: {}, buyer: call.key });
  expect(await context.approvals.noToAnswers([call])).toBeUndefined();
});

// Promise: declined-statement-waits-again
test('after a decline, a call shared by two portfolios waits for approval in both', async () => {
  const { context, rows, one } = await openDeclined('7');
  expect(await one(3, undefined, 'q5')).toMatchObject({ calls: 0, waits: { rows: 1, sum: '7.00' } });
  expect((await context.rows.read([rows[0]]))[0]?.state).toBe('held');
});

test('a declined supplier resend waits for approval, even if no row is held', async () => {
  const place = await openDeclined();
  const { context, rows, decline } = place;
  const { ledger, keys } = context;
  const key = 'buyer-of-supplier';
  await ledger.hset(keys.portfolio('q4'), 'supplier', JSON.stringify({ body: { name: 'Nord' }, key, problem: 'lost' }));
  await ledger.hset(keys.call('company', key), { state: 'unknown' });
  expect((await resendHeld({ by }, context)).waits).toMatchObject({ rows: 3 });
  await decline();
  for (const row of rows) await context.rows.requeue(row, 'held');
  expect((await resendHeld({ by }, context)).waits).toMatchObject({ rows: 0 });
  expect(await context.calls.isUnknown({ kind: 'company', key })).toBe(true);
});

test.each([false, true])(
  'a decline counts before it is carried out, also after its portfolio is cancelled (%s)',
  async (isGivenUp) => {
    const { context, one, sayNo } = await openAsked('7');
    await sayNo();
    if (isGivenUp) {
      await cancelRows({ portfolio: 'q4', by }, context);
      await carryOutAllAnswered(context);
      expect(await one(2)).toMatchObject({ calls: 0, waits: { rows: 1 } });
    } else {
      expect(await one(3, undefined, 'q5')).toMatchObject({ calls: 0, waits: { rows: 1, sum: '7.00' } });
    }
  },
);

/** The same place, with a decline in q4 just after the given number of looks for one. */
function declinedMeanwhile({ context, sayNo }: Awaited<ReturnType<typeof openAsked>>, looks = 1) {
  let left = looks;
  const noToAnswers: typeof context.approvals.noToAnswers = async (calls) => {
    const no = await context.approvals.noToAnswers(calls);
    left -= 1;
    if (left === 0) await sayNo();
    return no;
  };
  return { ...context, approvals: { ...context.approvals, noToAnswers } };
}

test('a decline between the look and the answer counts, for a row, a file and a plan', async () => {
  const place = await openAsked('7');
  const { context } = place;
  const isHeld = async () => (await context.portfolios.read('q5')).states.held;
  // The plan looks once. Its confirmation looks twice: whether the plan is unchanged, and before it acts.
  const here = declinedMeanwhile(place, 3);
  const file = { fileName: 'held.csv', content: Buffer.from('line,id\n3,resend\n') };
  const plans = makeHeldPlans(here);
  const { id } = await plans.plan('q5', file, by);
  expect(await plans.confirm(id, 'q5', by)).toMatchObject({
    is: 'done',
    resolution: { calls: 0, rows: 0, waits: [{ rows: 1, sum: '7.00' }] },
  });
  expect(await isHeld()).toBe(0);

  const other = await openAsked('7');
  const meanwhile = declinedMeanwhile(other);
  expect(await resolveCalls({ portfolio: 'q5', line: 3, by }, meanwhile)).toMatchObject({
    calls: 0,
    waits: { rows: 1, sum: '7.00' },
  });

  const third = await openAsked('7');
  expect(await resendHeld({ by, portfolio: 'q5' }, declinedMeanwhile(third, 2))).toEqual({ rows: 0 });
  expect((await third.context.portfolios.read('q5')).states).toMatchObject({ held: 1, awaiting: 0 });
});

test('a decline after its call was answered does not apply to the next doubt', async () => {
  const { context, rows, one, decline, hold } = await openAsked();
  const [found] = await context.rows.read([rows[0]]);
  const call = { kind: 'company', key: found?.request.buyer ?? '' } as const;
  expect(await context.calls.resolve([call], call.key, undefined)).toBe('resolved');
  await decline();
  await context.rows.requeue(rows[0], 'held');
  await hold(rows[0]);
  expect(await one(2)).toMatchObject({ calls: 1, rows: 1 });
});
