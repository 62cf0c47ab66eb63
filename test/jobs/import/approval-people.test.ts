import { describe, expect, test } from 'vitest';
import { whyNot } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import { DAY_MS, openWindow, WAITS } from '../../support/approval-window.ts';

describe("the sum of one person's unapproved requests", () => {
  const PERSON = { APPROVE_PERSON_ABOVE: '150000' };

  // Promise: sum-by-person
  test("counts across buyers, portfolios and all spellings of the person's name", async () => {
    const { ask, import: bring } = await openWindow(PERSON);
    expect(await ask('one', '100000')).toBeUndefined();
    expect(await ask('two', '100000', { buyer: 'Other', by: 'carl' })).toBeUndefined();
    expect(await ask('three', '50000', { buyer: 'Third', by: 'command line (Alice)' })).toBeUndefined();
    expect(await ask('four', '0.01', { buyer: 'Fourth', by: 'alice@example.com (sso 4f6d2a)' })).toMatchObject({
      ...WAITS,
      over: { of: 'person', name: 'alice', sum: '150000.01', limit: '150000' },
    });
    // Everybody who imported a part of a portfolio is its author.
    const lines = ['name,country_code,requested_limit', 'Fifth,DE,60000'];
    expect((await bring(lines, { portfolio: 'five', by: 'dora', authors: ['carl'] })).approval).toMatchObject({
      over: { of: 'person', name: 'carl', sum: '160000.00' },
    });
  });

  // Promises: sudo-caller-is-author, sum-by-person
  test('has what a command under sudo imported, for both users, and neither may approve it', async () => {
    const { ask } = await openWindow(PERSON);
    const by = 'command line (limitline, by sudo of alice)';
    expect(await ask('one', '100000', { by })).toBeUndefined();
    const over = { of: 'person', name: 'alice', sum: '160000.00' };
    expect(await ask('two', '60000', { buyer: 'Other', by: 'alice' })).toMatchObject({ ...WAITS, over });
    const waits = await ask('three', '60000', { buyer: 'Third', by });
    const may = ['alice', 'limitline', 'bob'].map((name) =>
      whyNot({ authors: waits?.authors ?? [] }, { by: name, roles: ['approver'] }),
    );
    expect(may).toEqual(['own', 'own', undefined]);
  });

  test('lets only one of several simultaneous imports pass', async () => {
    const { ask } = await openWindow(PERSON);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const answers = await Promise.all(names.map((name) => ask(name, '100000', { buyer: name })));
    expect(answers.filter((waits) => waits === undefined)).toHaveLength(1);
  });

  // Promises: sum-by-person, sent-again-needs-approval
  test('counts all rows of a retry plan', async () => {
    const place = await openWindow(PERSON);
    const { ask, context, import: bring } = place;
    const lines = Array.from({ length: 150 }, (_none, n) => `Buyer ${n},DE,400`);
    await bring(['name,country_code,requested_limit', ...lines], { portfolio: 'many', by: 'alice' });
    for (const { row } of await context.rows.inState('many', 'queued', { count: 150 })) {
      await context.rows.begin(row, 'company');
      const problem = { step: 'company' as const, message: 'refused', status: 400 };
      await context.rows.advance(row, 'company', 'refused', { problem });
    }
    expect(await ask('beside', '90000.01')).toBeUndefined();
    const how = { by: 'olivia', awaitMs: 0, signal: new AbortController().signal, dryRun: false };
    const retry = { portfolio: 'many', action: 'retry', filter: { states: ['refused'] } } as const;
    expect((await actOnRows(retry, how, context)).waits).toMatchObject({ rows: 150, sum: '60000.00' });
  });

  test('excludes refused, cancelled and approved rows, and counts retried rows again', async () => {
    const { ask, refuse, row, answer, context } = await openWindow(PERSON);
    await ask('refused', '100000');
    await refuse('refused');
    await ask('cancelled', '100000', { buyer: 'Second' });
    await cancelRows({ portfolio: 'cancelled', by: 'alice' }, context);
    expect(await ask('approved', '200000', { buyer: 'Third' })).toMatchObject(WAITS);
    await answer('grant');
    expect(await ask('last', '100000', { buyer: 'Fourth' })).toBeUndefined();
    expect(await retryRow(await row('refused'), 'olivia', context)).toMatchObject({ is: 'waits' });
    expect(await context.approvals.waiting()).toMatchObject([
      { over: { of: 'person', name: 'alice', sum: '200000.00' }, authors: ['alice', 'olivia'] },
    ]);
    await answer('decline');
    await refuse('last');
    expect(await context.rows.requeue(await row('last'), 'refused')).toBe(true);
    expect(await ask('more', '50000', { buyer: 'Fifth' })).toBeUndefined();
    expect(await ask('above', '0.01', { buyer: 'Sixth' })).toMatchObject({ over: { sum: '150000.01' } });
  });

  test('excludes amounts that a later file corrected', async () => {
    const { import: bring, ask } = await openWindow(PERSON);
    const line = (limit: number) => ['name,country_code,requested_limit,request_reference', `Acme,DE,${limit},M1`];
    expect((await bring(line(100_000), { portfolio: 'mended', by: 'alice' })).approval).toBeUndefined();
    expect((await bring(line(90_000), { portfolio: 'mended', by: 'alice' })).approval).toBeUndefined();
    expect(await ask('rest', '60000', { buyer: 'Other' })).toBeUndefined();
    expect(await ask('above', '0.01', { buyer: 'Third' })).toMatchObject({ over: { sum: '150000.01' } });
  });

  // Promise: sum-by-person
  test('covers the last APPROVE_WINDOW_DAYS; with 0 days each portfolio counts alone', async () => {
    const { ask, context } = await openWindow({ ...PERSON, APPROVE_WINDOW_DAYS: '2' });
    await ask('one', '100000');
    const key = context.keys.passed('alice');
    const [field = '', sum = ''] = Object.entries(await context.ledger.hgetall(key))[0] ?? [];
    const day = Math.floor(Date.now() / DAY_MS);
    expect(field).toBe(`${day}:0`);
    await context.ledger.del(key);
    await context.ledger.hset(key, { [`${day - 3}:0`]: sum, [`${day - 400}:0`]: sum });
    expect(await ask('two', '100000', { buyer: 'Other' })).toBeUndefined();
    expect(Object.keys(await context.ledger.hgetall(key))).toEqual([`${day - 3}:0`, `${day}:0`]);
    await context.ledger.hset(key, { [`${day - 2}:0`]: sum });
    expect(await ask('three', '0.01', { buyer: 'Third' })).toMatchObject({ over: { sum: '200000.01' } });
    const off = await openWindow({ ...PERSON, APPROVE_WINDOW_DAYS: '0' });
    for (const name of ['a', 'b']) expect(await off.ask(name, '100000', { buyer: name })).toBeUndefined();
    expect(await off.ask('c', '150000.01', { buyer: 'c' })).toMatchObject({ over: { of: 'person' } });
  });
});
