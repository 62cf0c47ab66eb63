import { describe, expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { planHeldFile, resolvePlan } from '../../../jobs/operators/plan-held-file.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import type { AskedFor } from '../../../src/ledger/approvals/approval-look.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { afterThisMs, openPortfolio, resendHeld, retryRows } from '../../support/approved-portfolio.ts';

/** The limit is above the sum of two rows, and below the sum of all three. */
const ABOVE_TWO = { APPROVE_ABOVE: '2500' };
const ALWAYS = { APPROVE_ALWAYS: 'on' };

/** Three rows that were approved, and that are refused or held now. */
async function openEnded(ended: 'refused' | 'held', settings: Record<string, string>) {
  const place = await openPortfolio(3, settings);
  await place.approve();
  const rows = (await place.all('queued')) as [RowId, RowId, RowId];
  for (const row of rows) await (ended === 'refused' ? place.refuse(row) : place.hold(row));
  return { ...place, rows };
}
type Place = Awaited<ReturnType<typeof openEnded>>;

const by = 'olivia';
const limits = { by, dryRun: false, awaitMs: 0, signal: new AbortController().signal };

/** Every way in which a person retries one row or answers for its call. */
const ONE: [name: string, ended: 'refused' | 'held', act: (place: Place) => Promise<AskedFor | undefined>][] = [
  [
    'retrying one row in the console',
    'refused',
    async ({ rows: [row], context }) => {
      const answer = await retryRow(row, by, context);
      return answer.is === 'waits' ? answer.asked : undefined;
    },
  ],
  [
    'retrying a line',
    'refused',
    async ({ context }) => (await retryRows({ portfolio: 'q4', state: 'refused', line: 2, by }, context)).waits,
  ],
  [
    'a plan for one row',
    'refused',
    async ({ context }) => {
      const request = { portfolio: 'q4', action: 'retry', filter: { max: '1001.50' } } as const;
      return (await actOnRows(request, limits, context)).waits;
    },
  ],
  [
    'a held call that was made',
    'held',
    async ({ context }) => (await resolveCalls({ portfolio: 'q4', line: 2, made: 'company_77', by }, context)).waits,
  ],
  [
    'a held call that is sent again',
    'held',
    async ({ rows: [row], context }) => (await resolveCalls({ portfolio: 'q4', row: row.key, by }, context)).waits,
  ],
  [
    'a file about held rows',
    'held',
    async ({ context }) => {
      const file = { words: [{ at: 2, row: '', line: 2, made: 'company_77' }], problems: [], silent: 0 };
      const plan = await planHeldFile('q4', file as never, context);
      return (await resolvePlan(plan, context, () => {}, { by })).waits;
    },
  ],
  [
    'a plan to send a held row again',
    'held',
    async ({ context }) => {
      const request = { portfolio: 'q4', action: 'resend', filter: { max: '1001.50' } } as const;
      return (await actOnRows(request, limits, context)).waits;
    },
  ],
];

describe.each(ONE)('%s', (_name, ended, act) => {
  // Promise: sent-again-needs-approval
  test('waits for approval under APPROVE_ALWAYS, with the requester as author', async () => {
    const place = await openEnded(ended, ALWAYS);
    await afterThisMs(place.context);
    const asked = await act(place);
    expect(asked).toMatchObject({ rows: 1, sum: '1001.50' });
    expect(await place.states()).toMatchObject({ awaiting: 1, [ended]: 2, queued: 0 });
    expect(await place.waiting()).toMatchObject({
      id: asked?.approval,
      kind: ended === 'refused' ? 'retry' : 'answer',
      authors: [by],
      rows: 1,
      sum: '1001.50',
    });
    const [row] = place.rows;
    // The call of a held row is still in doubt, and nothing is sent for any row.
    expect((await place.claim(row)).is).toBe('awaiting');
    const [result] = await place.context.rows.read([row]);
    const known = await place.context.calls.isUnknown({ kind: 'company', key: result?.request.buyer ?? '' });
    expect(known).toBe(ended === 'held');
  });

  test('takes effect at once if its sum is below the limit', async () => {
    const place = await openEnded(ended, ABOVE_TWO);
    await afterThisMs(place.context);
    expect(await act(place)).toBeUndefined();
    expect(await place.states()).toMatchObject({ awaiting: 0, [ended]: 2, queued: 1 });
  });
});

const MANY: [name: string, ended: 'refused' | 'held', act: (place: Place) => Promise<AskedFor | undefined>][] = [
  [
    'a plan to send all again',
    'refused',
    async ({ context }) => (await retryRows({ portfolio: 'q4', state: 'refused', by }, context)).waits,
  ],
  ['a plan to send all held rows again', 'held', async ({ context }) => (await resendHeld({ by }, context)).waits],
];

// Promise: sent-again-needs-approval
test.each(MANY)(
  '%s waits if its sum is above the limit, and is carried out after the approval',
  async (_name, ended, act) => {
    const place = await openEnded(ended, ABOVE_TWO);
    await afterThisMs(place.context);
    expect(await act(place)).toMatchObject({ rows: 3, sum: '3007.50' });
    expect(await place.states()).toMatchObject({ awaiting: 3, [ended]: 0, queued: 0 });
    await place.approve();
    expect(await place.states()).toMatchObject({ awaiting: 0, [ended]: 0, queued: 3 });
    expect(await place.context.approvals.answered()).toEqual([]);
  },
);

// Promise: approval-says-why
test('the approval of cancelled rows gives the reason, even if their sum is below the limit', async () => {
  const place = await openPortfolio(1, { APPROVE_ABOVE: '5000' });
  const { context } = place;
  await cancelRows({ portfolio: 'q4', by }, context);
  await afterThisMs(context);
  const request = { portfolio: 'q4', action: 'retry', filter: { states: ['cancelled'] } } as const;
  const why = 'Some of these rows have no approval any more, or never had one.';
  expect((await makePlan(request, context)).approval).toBe(why);
  expect((await actOnRows(request, limits, context)).waits).toMatchObject({ rows: 1, why });
  expect(whyWords(await place.waiting())).toBe(why);
  expect(await place.states()).toMatchObject({ awaiting: 1, queued: 0 });
});

// Promise: approval-says-why
test('each approval gives the reason under a rule that covers every request', async () => {
  const always = "Every request waits for another person's approval here.";
  const place = await openPortfolio(1, ALWAYS);
  expect(whyWords(await place.waiting())).toBe(always);
  await place.approve();
  const [row] = (await place.all('queued')) as [RowId];
  await place.hold(row);
  expect((await resendHeld({ by }, place.context)).waits?.why).toBe(
    `${always} If the service did make something of a call that is sent again, it exists twice.`,
  );
});

// Promise: supplier-in-doubt-sent-again
test.for([0, 1])('a supplier in doubt is sent again after an approval, with %i held rows', async (held) => {
  const place = await openEnded('held', ALWAYS);
  const { context, rows } = place;
  const { ledger, keys, calls, portfolios, approvals } = context;
  for (const row of rows.slice(held)) await context.rows.requeue(row, 'held');
  const call = { kind: 'company', key: 'buyer-of-supplier' } as const;
  await ledger.hset(
    keys.portfolio('q4'),
    'supplier',
    JSON.stringify({ body: { name: 'Nordwind' }, key: call.key, problem: 'lost' }),
  );
  await ledger.hset(keys.call('company', call.key), { state: 'unknown' });
  const request = { portfolio: 'q4', action: 'resend', filter: {} } as const;
  expect(await makePlan(request, context)).toMatchObject({
    supplier: { key: call.key },
    approval: "Every request waits for another person's approval here.",
  });
  const { waits } = await actOnRows(request, limits, context);
  expect(waits).toMatchObject({ rows: held });
  expect(whyWords(await place.waiting())).toContain('of the supplier Nordwind is sent again');
  expect(await calls.isUnknown(call)).toBe(true);
  await place.approve();
  expect(await calls.isUnknown(call)).toBe(false);
  expect((await portfolios.read('q4')).supplier?.problem).toBeUndefined();
  expect(await approvals.answered()).toEqual([]);
});
