import { expect, test } from 'vitest';
import { carryOutAllAnswered, carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openPortfolio, waitingIn } from '../../support/approved-portfolio.ts';

const by = 'olivia';
const HEADER = 'name,country_code,company_registration_number,requested_limit';
const HELD = { problem: { step: 'company', message: 'nobody knows' } } as const;
const signal = new AbortController().signal;

type Asked = Awaited<ReturnType<typeof openDoubt>>;

/**
 * A row of buyer 1 in each of two portfolios. The call for its company was sent and is in doubt. Both rows are held.
 */
async function openDoubt(env: Record<string, string> = {}, hasOther = true) {
  const place = await openPortfolio(1, { APPROVE_ABOVE: '500', APPROVE_WINDOW_DAYS: '0', ...env });
  const { context } = place;
  await place.approve();
  const [row] = (await place.all('queued')) as [RowId];
  const [found] = await context.rows.read([row]);
  const key = found?.request.buyer ?? '';
  const company = { kind: 'company', key, row, revision: '0' } as const;
  await context.rows.begin(row, 'company');
  expect(await context.calls.claim(company, { owner: 'w1/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
  await context.calls.doubt(company, 'w1/1', 'no answer');
  await context.rows.advance(row, 'company', 'held', HELD);
  const importQ5 = async (amount = '7') => {
    await place.import([HEADER, `Buyer 1 GmbH,DE,HRB 1,${amount}`], { portfolio: 'q5' });
    const [one] = await context.rows.inState('q5', 'queued', { count: 9 });
    if (!one) throw new Error('no row in q5');
    return one.row;
  };
  let other: RowId | undefined;
  if (hasOther) {
    other = await importQ5();
    await context.rows.begin(other, 'company');
    await context.rows.advance(other, 'company', 'held', HELD);
  }
  const sayNo = async () => {
    const { id, digest } = await place.waiting();
    expect(await place.say({ id, digest, answer: 'decline', words: 'ask first' })).toMatchObject({ is: 'done' });
  };
  const one = (portfolio: string, made?: string) => resolveCalls({ portfolio, line: 2, made, by }, context);
  return { ...place, row, other, company, importQ5, sayNo, one };
}

type Lines = Pick<Asked, 'import' | 'approve' | 'all' | 'context'>;

/**
 * The line of the held row is imported corrected, with the company id. The new row ends, and the held row is replaced.
 */
async function giveWay({ import: bringIn, approve, all, context }: Lines): Promise<void> {
  const header = `${HEADER},company_id`;
  await bringIn([header, 'Buyer 1 GmbH,DE,HRB 1,450,company_1'], { replace: true });
  if ((await context.approvals.waiting()).length > 0) await approve();
  for (const next of (await all('queued')) as RowId[]) {
    await context.rows.begin(next, 'limit');
    await context.rows.advance(next, 'limit', 'refused', { problem: { step: 'limit', message: 'no', status: 400 } });
  }
}

test.each(['archived', 'forgotten'])('a decline of an answer still counts after its portfolio is %s', async (is) => {
  const place = await openDoubt();
  const { context, row, one, sayNo } = place;
  expect(await one('q4')).toMatchObject({ waits: { rows: 1 } });
  await sayNo();
  await carryOutAllAnswered(context);
  expect((await context.rows.read([row]))[0]?.state).toBe('held');
  await giveWay(place);
  if (is === 'archived') await archivePortfolio(context, 'q4', { by, signal });
  else await forgetPortfolio('q4', { by, signal }, context);
  expect(await one('q5')).toMatchObject({ calls: 0, waits: { rows: 1 } });
});

/**
 * The same under APPROVE_ALWAYS. The row of q5 is held as well, and an answer for the call waits in both portfolios.
 */
async function openAsked() {
  const place = await openDoubt({ APPROVE_ALWAYS: 'on' }, false);
  await holdInQ5(place);
  await place.one('q4');
  await place.one('q5');
  return { ...place, first: await waitingIn('q4', place), other: await waitingIn('q5', place) };
}

async function holdInQ5({ import: bringIn, approve, context }: Pick<Asked, 'import' | 'approve' | 'context'>) {
  await bringIn([HEADER, 'Buyer 1 GmbH,DE,HRB 1,7'], { portfolio: 'q5' });
  await approve();
  const [other] = await context.rows.inState('q5', 'queued', { count: 9 });
  if (!other) throw new Error('no row in q5');
  await context.rows.begin(other.row, 'company');
  await context.rows.advance(other.row, 'company', 'held', HELD);
}

// Promises: no-elsewhere-is-seen, no-is-seen-elsewhere
test('an approval of an answer has to be looked at again after a decline elsewhere', async () => {
  const { say, first, other } = await openAsked();
  // The process is killed before it carries the decline out.
  await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
  expect(await say({ id: other.id, digest: other.digest })).toMatchObject({ is: 'changed' });
});

test('an approval of an answer has to be looked at again if the portfolio of the decline is cancelled first', async () => {
  const { context, say, first, other } = await openAsked();
  await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
  await cancelRows({ portfolio: 'q4', by }, context);
  await carryOutAllAnswered(context);
  expect(await say({ id: other.id, digest: other.digest })).toMatchObject({ is: 'changed' });
});

test('two declines with equal words count as two, so an approval seen between them is outdated', async () => {
  const { context, say, first, other, one } = await openAsked();
  await say({ id: first.id, digest: first.digest, answer: 'decline', words: '' });
  await carryOutAllAnswered(context);
  expect(await say({ id: other.id, digest: other.digest })).toMatchObject({ is: 'changed' });
  const seen = await context.approvals.read(other.id);
  await one('q4', 'company_5');
  const third = await waitingIn('q4', { context });
  await say({ id: third.id, digest: third.digest, answer: 'decline', words: '' });
  expect(await say({ id: other.id, digest: seen?.digest ?? '' })).toMatchObject({ is: 'changed' });
});

test('an approval that lost its call to a later decline answers nothing, and the next approval does', async () => {
  const place = await openAsked();
  const { context, say, first, other, company } = place;
  expect(await say({ id: other.id, digest: other.digest })).toMatchObject({ is: 'done' });
  const no = await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
  // The decline is carried out, and the approval not yet.
  if (no.is === 'done') await carryOutAnswered(no.approval, context);
  await giveWay(place);
  await forgetPortfolio('q4', { by, signal }, context);
  await carryOutAllAnswered(context);
  expect(await context.calls.isUnknown(company)).toBe(true);
  expect(await place.one('q5')).toMatchObject({ waits: { rows: 1 } });
  const { id, digest } = await place.waiting();
  expect(await say({ id, digest })).toMatchObject({ is: 'done' });
  await carryOutAllAnswered(context);
  expect(await context.calls.isUnknown(company)).toBe(false);
});

test('a decline still counts after a later approval request was cancelled, and the next approval releases the call', async () => {
  const { context, say, first, other, one, company, waiting } = await openAsked();
  await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
  await carryOutAllAnswered(context);
  await say({
    id: other.id,
    digest: (await context.approvals.read(other.id))?.digest ?? '',
    answer: 'decline',
    words: 'no',
  });
  await carryOutAllAnswered(context);
  expect(await one('q4')).toMatchObject({ waits: { rows: 1 } });
  await cancelRows({ portfolio: 'q4', by }, context);
  await carryOutAllAnswered(context);
  expect(await context.approvals.waiting()).toEqual([]);
  expect(await one('q5')).toMatchObject({ waits: { rows: 1 } });
  const { id, digest } = await waiting();
  expect(await say({ id, digest })).toMatchObject({ is: 'done' });
  await carryOutAllAnswered(context);
  expect(await context.calls.isUnknown(company)).toBe(false);
});

// Promise: declined-call-stays-in-doubt
test('a results file does not settle a call whose answer was declined', async () => {
  const { context, one, say, waiting, row, company } = await openDoubt({ APPROVE_ALWAYS: 'on' }, false);
  await one('q4', 'company_77');
  const { id, digest } = await waiting();
  await say({ id, digest, answer: 'decline', words: 'ask first' });
  await carryOutAllAnswered(context);
  const of = {
    kind: 'company',
    keys: [company.key],
    buyer: company.key,
    row: `q4/${row.key}`,
    asked: undefined,
  } as const;
  const made = { is: 'made', id: 'company_77', record: {}, company: '', documents: [] } as const;
  const lost = { ...of, ...made, amount: undefined, line: 2, atMs: Date.now() + 1_000 };
  expect(await context.recovery.putBack(lost, { write: true })).toEqual({ is: 'known' });
  expect(await context.calls.isUnknown(company)).toBe(true);
});

test('an approval requested while a decline elsewhere is carried out has to be looked at again', async () => {
  const place = await openDoubt({ APPROVE_ALWAYS: 'on' }, false);
  const { context, one, say } = place;
  await holdInQ5(place);
  await one('q4');
  const first = await place.waiting();
  // The row of q5 begins to wait. Before its approval is closed, a decline in q4 is given and carried out.
  const close: typeof context.approvals.close = async (...args) => {
    await say({ id: first.id, digest: first.digest, answer: 'decline', words: 'ask first' });
    await carryOutAllAnswered(context);
    return context.approvals.close(...args);
  };
  const slow = { ...context, approvals: { ...context.approvals, close } };
  expect(await resolveCalls({ portfolio: 'q5', line: 2, by }, slow)).toMatchObject({ waits: { rows: 1 } });
  const { id, digest } = await place.waiting();
  expect(await say({ id, digest })).toMatchObject({ is: 'changed' });
  expect(await place.waiting()).toMatchObject({ portfolio: 'q5', redone: 'by bob: ask first' });
});
