import { describe, expect, test } from 'vitest';
import { makeHeldPlans } from '../../../jobs/operators/held-plans.ts';
import { confirmPlan } from '../../../jobs/plans/carry-out.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import type { Plan } from '../../../src/ledger/plans/plan.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { afterThisMs, openPortfolio } from '../../support/approved-portfolio.ts';

/** Two approved rows that are refused or held now. */
async function openEnded(ended: 'refused' | 'held') {
  const place = await openPortfolio(2);
  await place.approve();
  for (const row of await place.all('queued')) await (ended === 'refused' ? place.refuse(row) : place.hold(row));
  await afterThisMs(place.context);
  return place;
}
type Place = Awaited<ReturnType<typeof openEnded>>;

async function confirm({ id }: Pick<Plan, 'id'>, by: string, { context }: Place, deps: Partial<Place['context']> = {}) {
  const limits = { awaitMs: 0, signal: new AbortController().signal };
  const confirmed = await confirmPlan({ id, by }, limits, { ...context, ...deps });
  if (confirmed.is !== 'started') throw new Error(`it is ${confirmed.is}`);
  await confirmed.ended;
}

const person = (by: string) => ({ by, roles: ['approver' as const] });

async function answers(place: Place, names: readonly string[]) {
  const { id, digest } = await place.waiting();
  const heard = [];
  for (const by of names) heard.push((await place.say({ id, digest, person: person(by) })).is);
  return heard;
}

describe.each([
  ['retry', 'refused'],
  ['resend', 'held'],
] as const)('a plan to %s rows', (action, ended) => {
  // Promise: planner-is-author
  test('has as authors who made it, who confirmed it and who resumed it', async () => {
    const place = await openEnded(ended);
    const { context } = place;
    const plan = await makePlan({ portfolio: 'q4', action, filter: {}, by: 'mia' }, context);
    const killed = { ...context.queues, forget: (rows: RowId[]) => Promise.reject(new Error(`killed ${rows.length}`)) };
    await expect(confirm(plan, 'carl', place, { queues: killed })).rejects.toThrow('killed 2');
    // The process that carried it out gives no sign of life any more.
    await context.ledger.hset(context.keys.plan(plan.id), 'sign', 1);
    await confirm(plan, 'dora', place);
    expect((await place.waiting()).authors).toEqual(['carl', 'dora', 'mia']);
    expect(await answers(place, ['mia', 'carl', 'dora', 'bob'])).toEqual(['own', 'own', 'own', 'done']);
  });
});

test('an answer file has as authors who uploaded it and who confirmed its plan', async () => {
  const place = await openEnded('held');
  const plans = makeHeldPlans(place.context);
  const content = Buffer.from('line,id\n2,resend\n');
  const { id } = await plans.plan('q4', { fileName: 'held.csv', content }, 'mia');
  expect(await plans.confirm(id, 'q4', 'carl')).toMatchObject({ is: 'done', resolution: { waits: [{ rows: 1 }] } });
  expect((await place.waiting()).authors).toEqual(['carl', 'mia']);
});
