import { describe, expect, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import { keepApprovalRule } from '../../../scripts/opening/keep-approval-rule.ts';
import { openContext } from '../../../src/context.ts';
import { makeRecovery } from '../../../src/ledger/calls/recovery.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { ABOVE, DAY_MS, openWindow, WAITS } from '../../support/approval-window.ts';
import { NEVER } from '../../support/archive.ts';

describe("the sum of one buyer's unapproved requests", () => {
  // Promise: sum-by-buyer
  test('counts across portfolios, and the approval shows the sum and the limit', async () => {
    const { ask, stateOf } = await openWindow();
    expect(await ask('one', '100000')).toBeUndefined();
    expect(await ask('two', '100000', { buyer: 'Other' })).toBeUndefined();
    expect(await ask('three', '50000')).toBeUndefined();
    const waits = await ask('four', '0.01');
    expect(waits).toMatchObject({ ...WAITS, over: { of: 'buyer', name: 'Acme', sum: '150000.01', limit: '150000' } });
    expect(whyWords(waits as never)).toBe(
      "Acme is to get 150,000.01 with this and what passed lately without another person's yes, which is above 150,000.00.",
    );
    expect(await Promise.all(['one', 'two', 'three', 'four'].map(stateOf))).toEqual([
      'queued',
      'queued',
      'queued',
      'awaiting',
    ]);
    // Rows that wait for approval do not count.
    expect(await ask('five', '1', { buyer: 'Third' })).toBeUndefined();
  });

  // Promises: sum-by-buyer, sent-again-needs-approval
  test('counts all rows of a retry plan, however far apart they are', async () => {
    const { ask, context, import: bring } = await openWindow();
    const others = Array.from({ length: 148 }, (_none, n) => `Buyer ${n},DE,1,b${n}`);
    const lines = ['Acme,DE,40000,first', ...others, 'Acme,DE,40001,last'];
    await bring(['name,country_code,requested_limit,request_reference', ...lines], { portfolio: 'many', by: 'alice' });
    for (const { row } of await context.rows.inState('many', 'queued', { count: 150 })) {
      await context.rows.begin(row, 'company');
      const problem = { step: 'company' as const, message: 'refused', status: 400 };
      await context.rows.advance(row, 'company', 'refused', { problem });
    }
    expect(await ask('beside', '70000')).toBeUndefined();
    const how = { by: 'olivia', awaitMs: 0, signal: new AbortController().signal, dryRun: false };
    const retry = { portfolio: 'many', action: 'retry', filter: { states: ['refused'] } } as const;
    expect((await actOnRows(retry, how, context)).waits).toMatchObject({ rows: 150, sum: '80149.00' });
  });

  // Promise: one-of-two-files-waits
  test('lets only one of several simultaneous imports pass', async () => {
    const { ask } = await openWindow();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const answers = await Promise.all(names.map((name) => ask(name, '100000')));
    expect(answers.filter((waits) => waits === undefined)).toHaveLength(1);
  });

  test('counts a request once if several portfolios contain it', async () => {
    const place = await openWindow();
    const lines = ['name,country_code,requested_limit', 'Acme,DE,100000'];
    for (const portfolio of ['one', 'two']) expect((await place.import(lines, { portfolio })).approval).toBeUndefined();
    expect(await place.ask('three', '50000')).toBeUndefined();
    expect(await place.ask('four', '0.01')).toMatchObject({ over: { sum: '150000.01' } });
  });

  test('counts portfolios that are being decided and began earlier, even if their process died', async () => {
    const { ask, context, row } = await openWindow();
    expect(await ask('first', '100000')).toBeUndefined();
    const { ledger, keys } = context;
    const { approval = '' } = await ledger.hgetall(keys.row('first', (await row('first')).key));
    // This is the state while the buyers of the portfolio are compared.
    await ledger.hset(keys.approval(approval), { standing: 'open', ticket: 1 });
    await ledger.hset(keys.row('first', (await row('first')).key), 'state', 'awaiting');
    expect(await ask('second', '100000')).toMatchObject({ over: { of: 'buyer', sum: '200000.00' } });
    // A decision that began later does not count.
    await ledger.hset(keys.approval(approval), { ticket: 1_000 });
    expect(await ask('third', '100000')).toBeUndefined();
  });

  test('adds up all lines of a buyer in one file', async () => {
    const place = await openWindow();
    await place.ask('one', '100000');
    const lines = ['name,country_code,requested_limit,request_reference'];
    for (let n = 1; n <= 700; n += 1) lines.push(`Buyer ${n},DE,1,S${n}`);
    const acme = (n: number) => `Acme,DE,25000,T${n}`;
    expect((await place.import([...lines, acme(1), acme(2)], { portfolio: 'fits' })).approval).toBeUndefined();
    const { approval } = await place.import([...lines.slice(0, 600), acme(3)], { portfolio: 'more' });
    expect(approval).toMatchObject({ over: { of: 'buyer', name: 'Acme', sum: '175000.00' } });
  });

  // Promise: only-unapproved-counts
  test('excludes requests that were refused, cancelled or approved by another person', async () => {
    const { ask, refuse, answer, context } = await openWindow();
    await ask('refused', '100000');
    await refuse('refused');
    await ask('cancelled', '100000');
    await cancelRows({ portfolio: 'cancelled', by: 'alice' }, context);
    expect(await ask('approved', '200000')).toMatchObject({ over: { of: 'portfolio', name: 'approved' } });
    await answer('grant');
    expect(await ask('last', '150000')).toBeUndefined();
    expect(await ask('more', '0.01')).toMatchObject(WAITS);
    await answer('decline');
    expect(await ask('again', '1', { buyer: 'Other' })).toBeUndefined();
  });

  // Promises: sum-by-buyer, unanswered-counts-however-old
  test('covers the last APPROVE_WINDOW_DAYS, and unanswered requests of any age', async () => {
    const { ask, make, hold, row, context } = await openWindow({ ...ABOVE, APPROVE_WINDOW_DAYS: '3' });
    await ask('old', '100000');
    const old = await make('old', 3.01);
    // A later decision changes the row, but not the time at which it passed.
    const limit = `bl_${old.key}`;
    const found = await context.decisions.find(limit);
    const word = { limit, status: 'approved', total: '1', available: '1', at: new Date().toISOString(), isDated: true };
    if (found) await context.decisions.decide(found, word, { by: 'anna', file: 'later.csv' });
    expect(await context.decisions.follow(old, limit, { by: 'anna', file: 'later.csv' })).toBe('follows');
    await ask('new', '100000');
    await make('new', 2.99);
    expect(await ask('above', '50000.01')).toMatchObject({ over: { sum: '150000.01' } });
    await ask('held', '100000', { buyer: 'Other' });
    await hold('held');
    const held = await row('held');
    await context.ledger.hset(context.keys.row('held', held.key), 'updated', 1);
    expect(await ask('beside', '100000', { buyer: 'Other' })).toMatchObject({ over: { sum: '200000.00' } });
    // The row also counts while somebody's answer for its call waits for approval.
    await context.approvals.close(
      { portfolio: 'held', id: await askFor(held, context) },
      { always: true, above: undefined },
    );
    expect(await ask('besides', '100000', { buyer: 'Other' })).toMatchObject({ over: { sum: '200000.00' } });
  });

  test('does not accumulate if APPROVE_WINDOW_DAYS is 0', async () => {
    const { ask } = await openWindow({ ...ABOVE, APPROVE_WINDOW_DAYS: '0' });
    for (const name of ['a', 'b', 'c']) expect(await ask(name, '100000')).toBeUndefined();
  });

  test('counts all requests of a buyer that has too many to examine one by one', async () => {
    const { ask, refuse, row, context } = await openWindow();
    await ask('one', '1');
    const { key } = await row('one');
    const request = JSON.parse((await context.ledger.hget(context.keys.row('one', key), 'request')) ?? '');
    const others = Object.fromEntries(Array.from({ length: 500 }, (_none, at) => [`gone/k${at}`, '1000']));
    await context.ledger.hset(context.keys.buyerRows(request.buyer), others);
    // All of them count, whatever became of them.
    expect(await ask('two', '1')).toMatchObject({ over: { of: 'buyer', name: 'Acme', sum: '500002.00' } });
    await refuse('one');
    expect(await context.rows.requeue(await row('one'), 'refused')).toBe(false);
  });

  // Promise: archived-sums-count
  test('counts requests of archived portfolios', async () => {
    const { ask, make, context } = await openWindow();
    await ask('gone', '100000');
    await make('gone');
    await archivePortfolio(context, 'gone', { by: 'alice', signal: NEVER });
    expect(await ask('next', '100000')).toMatchObject({ over: { of: 'buyer', sum: '200000.00' } });
  });

  // Promise: sum-by-buyer
  test('counts limits that a results file restored to a lost ledger, by the date of the results', async () => {
    const { ask, make, row, context } = await openWindow();
    const { ledger, keys } = context;
    const lose = async (portfolio: string, daysAgo: number) => {
      await ask(portfolio, '100000');
      const its = await row(portfolio);
      const { buyer } = JSON.parse((await ledger.hget(keys.row(portfolio, its.key), 'request')) ?? '');
      await make(portfolio, daysAgo);
      await ledger.del(keys.row(portfolio, its.key), keys.call('limit', its.key));
      await ledger.hdel(keys.buyerRows(buyer), `${portfolio}/${its.key}`);
      const about = { kind: 'limit', keys: [its.key], row: `${portfolio}/${its.key}`, amount: '100000' } as const;
      const made = { is: 'made', id: `bl_${its.key}`, record: {}, company: '', documents: [] } as const;
      const atMs = Date.now() - daysAgo * DAY_MS;
      const lost = { ...about, ...made, buyer, asked: undefined, line: 2, atMs };
      expect(await makeRecovery({ connection: ledger, keys }).putBack(lost, { write: true })).toEqual({ is: 'put' });
    };
    await lose('old', 7.1);
    expect(await ask('fits', '50000')).toBeUndefined();
    await lose('new', 6.9);
    expect(await ask('above', '0.01')).toMatchObject({ over: { of: 'buyer' } });
  });

  test('counts requests from before the rule was set', async () => {
    const place = await openWindow({});
    await place.ask('before', '100000');
    const settings = { ...place.context.settings, APPROVE_ABOVE: '150000' };
    const serving = await openContext({ settings, log: makeSilentLog() });
    await keepApprovalRule(serving).finally(() => serving.close());
    expect(await place.ask('after', '100000')).toMatchObject({ over: { of: 'buyer', sum: '200000.00' } });
  });

  // Promise: sum-by-buyer
  test('counts refused rows again when they are retried', async () => {
    const { ask, refuse, row, context, stateOf, answer } = await openWindow();
    await ask('first', '100000');
    await refuse('first');
    await ask('second', '100000');
    await refuse('second');
    await ask('third', '40000');
    const [first, second] = [await row('first'), await row('second')];
    const both = await Promise.all([first, second].map((one) => context.rows.requeue(one, 'refused')));
    expect(both.filter(Boolean)).toHaveLength(1);
    const left = both[0] ? 'second' : 'first';
    expect(await stateOf(left)).toBe('refused');
    const again = await retryRow(both[0] ? second : first, 'olivia', context);
    expect(again).toMatchObject({ is: 'waits', asked: { rows: 1 } });
    expect(await context.approvals.waiting()).toMatchObject([
      { kind: 'retry', over: { of: 'buyer', name: 'Acme', sum: '240000.00', limit: '150000' } },
    ]);
    await answer('grant');
    expect(await stateOf(left)).toBe('queued');
    // Approved requests leave the remaining room unchanged.
    expect(await ask('fourth', '10000')).toBeUndefined();
    expect(await ask('fifth', '0.01')).toMatchObject(WAITS);
  });
});

type Context = Awaited<ReturnType<typeof openContext>>;

async function askFor(row: RowId, { approvals }: Context) {
  const id = await approvals.askFor({ portfolio: row.portfolio, kind: 'answer', by: 'olivia' });
  expect(await approvals.awaitRow(row, 'held', { id, by: 'olivia', said: 'resend' })).toBe(true);
  return id;
}

test('an answer for a held call does not change the sum of unapproved requests', async () => {
  const { ask, hold, row, context, stateOf } = await openWindow({ ...ABOVE, APPROVE_PERSON_ABOVE: '150000' });
  await ask('held', '100000');
  await hold('held');
  const { key } = await row('held');
  expect(await resolveCalls({ portfolio: 'held', row: key, by: 'olivia' }, context)).toMatchObject({ rows: 1 });
  expect(await stateOf('held')).toBe('queued');
  expect(await ask('rest', '50000')).toBeUndefined();
  expect(await ask('above', '0.01')).toMatchObject({ over: { sum: '150000.01' } });
});

test('a decision on a limit answered late does not remove it from the sum of the window', async () => {
  const { ask, row, context } = await openWindow(ABOVE);
  const { rows, calls, ledger, keys, decisions } = context;
  expect(await ask('late', '100000')).toBeUndefined();
  const its = await row('late');
  await rows.begin(its, 'company');
  await rows.advance(its, 'company', 'limit', { company: 'company_1' });
  const call = { kind: 'limit', key: its.key, row: its } as const;
  expect(await calls.claim(call, { owner: 'w1/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
  await ledger.hset(keys.call('limit', its.key), { state: 'unknown' });
  await rows.advance(its, 'limit', 'held', { problem: { step: 'limit', message: 'nobody knows' } });
  // The call was sent eight days ago and held since. Today a person says which limit was made.
  await ledger.hset(keys.call('limit', its.key), 'at', Date.now() - 8 * DAY_MS);
  const limit = `bl_${its.key}`;
  expect(
    await resolveCalls({ portfolio: 'late', row: its.key, made: limit, by: 'olivia' } as never, context),
  ).toMatchObject({ calls: 1 });
  await rows.advance(its, 'limit', 'done', { limit, record: {} });
  expect((await rows.read([its]))[0]?.state).toBe('done');
  expect(await ask('before', '50000.01')).toMatchObject({ over: { sum: '150000.01' } });

  const found = await decisions.find(limit);
  if (!found) throw new Error('no limit');
  const word = {
    limit,
    status: 'approved',
    total: '100000',
    available: '1',
    at: new Date().toISOString(),
    isDated: true,
  };
  expect(await decisions.decide(found, word, { by: 'anna', file: 'later.csv' })).toBe('taken');
  expect(await decisions.follow(its, limit, { by: 'anna', file: 'later.csv' })).toBe('follows');
  expect(await ask('after', '50000.01')).toMatchObject({ over: { sum: '150000.01' } });
});
