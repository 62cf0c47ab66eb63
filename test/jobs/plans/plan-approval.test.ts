import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import { makePlan, type PlanRequest } from '../../../jobs/plans/make-plan.ts';
import { planWords } from '../../../scripts/choice/row-choice.ts';
import { NO_RIGHTS } from '../../../src/console/access/access.ts';
import { planBody } from '../../../src/console/pages/plans/plan-view.ts';
import type { Approval } from '../../../src/ledger/schema/approval.ts';
import { openWindow } from '../../support/approval-window.ts';
import { afterThisMs, openPortfolio } from '../../support/approved-portfolio.ts';

/** Three refused rows of 3,007.50 in all, which were approved if the settings require it. */
async function openRefused(settings: Record<string, string>) {
  const place = await openPortfolio(3, settings);
  if ((await place.states()).awaiting > 0) await place.approve();
  for (const row of await place.all('queued')) await place.refuse(row);
  await afterThisMs(place.context);
  return place;
}

const REQUEST: PlanRequest = { portfolio: 'q4', action: 'retry', filter: {} };
const ASKED = 'These rows ask for 3,007.50 in all, which is above 2,500.00.';

// Promise: plan-says-who-must-approve
test.each<[settings: Record<string, string>, request: Partial<PlanRequest>, approval: string | undefined]>([
  [{ APPROVE_ABOVE: '2500' }, {}, ASKED],
  [{ APPROVE_ABOVE: '2500', APPROVE_WINDOW_DAYS: '0' }, { filter: { max: '1001.5' } }, undefined],
  [{ APPROVE_ALWAYS: 'on' }, {}, "Every request waits for another person's approval here."],
  [{ APPROVE_ALWAYS: 'on' }, { action: 'cancel', filter: { states: ['refused'] } }, undefined],
  [{}, {}, undefined],
])('under %o a plan of %o shows whether another person has to approve it', async (settings, request, approval) => {
  const { context } = await openRefused(settings);
  const plan = await makePlan({ ...REQUEST, ...request }, context);
  expect(plan.rows).toBeGreaterThan(0);
  expect(plan.approval).toBe(approval);
});

test.each([
  ['alice asks for', { APPROVE_PERSON_ABOVE: '150000' }, 'Fourth'],
  ['One buyer is to get', undefined, undefined],
])(
  "a plan shows whether the sum of a person or of a buyer is above the limit, without the buyer's name: %s",
  async (whose, settings, buyer) => {
    const { ask, refuse, context } = await openWindow(settings);
    await ask('refused', '100000');
    await refuse('refused');
    await ask('last', '100000', { buyer });
    const { approval } = await makePlan({ ...REQUEST, portfolio: 'refused' }, context);
    expect(approval).toBe(
      `${whose} 200,000.00 with this and what passed lately without another person's yes, which is above 150,000.00.`,
    );
  },
);

// Promise: earlier-no-is-said
test('a plan of declined rows shows who declined them, together with the sum above the limit', async () => {
  const { context, waiting, say, ...place } = await openPortfolio(3, { APPROVE_ABOVE: '2500' });
  const { id, digest } = await waiting();
  await say({ id, digest, answer: 'decline', words: 'ask sales first' });
  await carryOutAnswered((await context.approvals.read(id)) as Approval, context);
  await afterThisMs(context);
  const no = 'Some of what was asked for here was declined before, by bob: ask sales first.';
  const one = { ...REQUEST, filter: { states: ['cancelled'], max: '1001.5' } } as const;
  expect((await makePlan(one, context)).approval).toBe(no);
  const all = { ...REQUEST, filter: { states: ['cancelled'] } } as const;
  expect((await makePlan(all, context)).approval).toBe(`${ASKED} ${no}`);
  const how = { by: 'olivia', dryRun: false, awaitMs: 0, signal: new AbortController().signal };
  const { waits } = await actOnRows(all, how, context);
  expect(waits?.why).toBe(`${ASKED} ${no}`);
  expect(await place.states()).toMatchObject({ awaiting: 3 });
});

// Promises: earlier-no-is-said, plan-says-who-must-approve
test('the command line and the page of a plan show the needed approval before the confirmation', async () => {
  const { context } = await openRefused({ APPROVE_ABOVE: '2500' });
  const plan = await makePlan(REQUEST, context);
  expect(planWords(plan)).toContain(`A colleague must approve this first. ${ASKED}`);
  const page = planBody({ plan }, { csrf: '', rights: NO_RIGHTS });
  expect(String(page)).toMatch(/A colleague must approve this first\..*3,007\.50/su);
});
