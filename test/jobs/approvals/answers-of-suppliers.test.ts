import { expect, test } from 'vitest';
import { carryOutAllAnswered, carryOutAnswers } from '../../../jobs/approvals/answer-approval.ts';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openPortfolio, resendHeld, waitingIn } from '../../support/approved-portfolio.ts';

const by = 'olivia';
const HEADER = 'name,country_code,company_registration_number,requested_limit';
const signal = new AbortController().signal;

/** Two portfolios with one supplier, whose call is in doubt. */
async function openSupplier() {
  const place = await openPortfolio(1, { APPROVE_ALWAYS: 'on' });
  const { context } = place;
  await place.approve();
  await place.import([HEADER, 'Buyer 2 GmbH,DE,HRB 2,7'], { portfolio: 'q5' });
  await place.approve();
  const key = 'buyer-of-supplier';
  const company = { kind: 'company', key } as const;
  const supplier = JSON.stringify({ body: { name: 'Nord' }, key, problem: 'lost' });
  for (const name of ['q4', 'q5']) await context.ledger.hset(context.keys.portfolio(name), 'supplier', supplier);
  const { ledger, keys } = context;
  const lose = () => ledger.hset(keys.call('company', key), { state: 'unknown', open: 1, lostAt: 1, notedAt: 1 });
  await lose();
  const supplierOf = async (name: string) =>
    JSON.parse((await ledger.hget(keys.portfolio(name), 'supplier')) ?? '{}') as { problem?: string };
  return { ...place, company, lose, supplierOf };
}

test("an approval of a supplier's resend has to be looked at again after a decline elsewhere", async () => {
  const { context, say } = await openSupplier();
  await resendHeld({ by, portfolio: 'q4' }, context);
  await resendHeld({ by, portfolio: 'q5' }, context);
  const [first, other] = [await waitingIn('q4', { context }), await waitingIn('q5', { context })];
  await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
  await carryOutAllAnswered(context);
  expect(await say({ id: other.id, digest: other.digest })).toMatchObject({ is: 'changed' });
});

test('a supplier is released even if the approving process was killed after it had answered the call', async () => {
  const { context, waiting, say, supplierOf } = await openSupplier();
  await resendHeld({ by, portfolio: 'q4' }, context);
  const { id, digest } = await waiting();
  await say({ id, digest });
  const approval = await context.approvals.read(id);
  if (!approval) throw new Error('none');
  const killed = {
    ...context,
    portfolios: { ...context.portfolios, reviveSupplier: () => Promise.reject(new Error('killed')) },
  };
  await expect(carryOutAnswers(approval, killed)).rejects.toThrow('killed');
  await carryOutAllAnswered(context);
  expect((await supplierOf('q4')).problem).toBeUndefined();
});

test('a supplier is not requested if its portfolio was cancelled after the approval', async () => {
  const { context, waiting, say, company } = await openSupplier();
  await resendHeld({ by, portfolio: 'q4' }, context);
  const { id, digest } = await waiting();
  await say({ id, digest });
  await cancelRows({ portfolio: 'q4', by }, context);
  await carryOutAllAnswered(context);
  const thing = { ...company, row: { portfolio: 'q4', key: '' } };
  expect(await context.calls.claim(thing, { owner: 'w9/1', onUnknown: 'hold' })).not.toMatchObject({ is: 'go' });
});

test("an approval of one supplier's resend does not cover another supplier that was declined", async () => {
  const { context, say } = await openSupplier();
  const { ledger, keys } = context;
  const south = JSON.stringify({ body: { name: 'Süd' }, key: 'buyer-south', problem: 'lost' });
  await ledger.hset(keys.call('company', 'buyer-south'), { state: 'unknown', open: 1, lostAt: 1, notedAt: 1 });
  await ledger.hset(keys.portfolio('q5'), 'supplier', south);
  await resendHeld({ by, portfolio: 'q5' }, context);
  const [no] = await context.approvals.waiting();
  if (!no) throw new Error('none');
  await say({ id: no.id, digest: no.digest, answer: 'decline', words: 'ask first' });
  await carryOutAllAnswered(context);
  // Nord waits in q4. Then an import sets Süd there, and bob approves the earlier view.
  await resendHeld({ by, portfolio: 'q4' }, context);
  const [yes] = await context.approvals.waiting();
  if (!yes) throw new Error('none');
  expect(yes.supplier).toBe('Nord');
  await context.portfolios.setSupplier('q4', JSON.parse(south));
  await say({ id: yes.id, digest: yes.digest });
  await carryOutAllAnswered(context);
  expect(await context.calls.isUnknown({ kind: 'company', key: 'buyer-south' })).toBe(true);
});

test("a decline of a supplier's resend still counts after its portfolio is archived", async () => {
  const place = await openPortfolio(1, { APPROVE_ABOVE: '500', APPROVE_WINDOW_DAYS: '0' });
  const { context, say, waiting, hold } = place;
  const { ledger, keys, rows } = context;
  await place.approve();
  await place.import([HEADER, 'Buyer 2 GmbH,DE,HRB 2,7'], { portfolio: 'q5' });
  const key = 'buyer-of-supplier';
  const supplier = JSON.stringify({ body: { name: 'Nord' }, key, problem: 'lost' });
  for (const name of ['q4', 'q5']) await ledger.hset(keys.portfolio(name), 'supplier', supplier);
  await ledger.hset(keys.call('company', key), { state: 'unknown', open: 1, lostAt: 1, notedAt: 1 });
  const [row] = (await place.all('queued')) as [RowId];
  await hold(row);
  expect((await resendHeld({ by, portfolio: 'q4' }, context)).waits).toMatchObject({ rows: 1 });
  const { id, digest } = await waiting();
  await say({ id, digest, answer: 'decline', words: 'ask first' });
  await carryOutAllAnswered(context);
  // The row itself is answered late, and ends.
  await rows.requeue(row, 'held');
  await rows.begin(row, 'company');
  await rows.advance(row, 'company', 'refused', { problem: { step: 'company', message: 'no', status: 400 } });
  const before = await resendHeld({ by, portfolio: 'q5' }, context);
  expect(before.waits).toBeDefined();
  for (const one of await context.approvals.waiting()) {
    await say({ id: one.id, digest: one.digest, answer: 'decline', words: 'still not' });
    await carryOutAllAnswered(context);
  }
  // The decline of q5 itself is still recorded, so only that of q4 is left in the call.
  await ledger.hset(keys.call('company', key), 'answers', `${id} `);
  await archivePortfolio(context, 'q4', { by, signal });
  await resendHeld({ by, portfolio: 'q5' }, context);
  expect(await context.calls.isUnknown({ kind: 'company', key })).toBe(true);
});
