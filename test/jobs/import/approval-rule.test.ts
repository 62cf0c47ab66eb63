import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { sendAgain } from '../../../jobs/operators/free-held.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { foundPages } from '../../../jobs/rows/walk-rows.ts';
import { keepApprovalRule } from '../../../scripts/opening/keep-approval-rule.ts';
import { type Context, openContext } from '../../../src/context.ts';
import { makeFleet } from '../../../src/ledger/calls/fleet.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { connectRedis } from '../../support/ledger.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

type Place = Pick<Awaited<ReturnType<typeof openWorkplace>>, 'context' | 'dir'>;
type Own = { APPROVE_ALWAYS?: 'on' | 'off'; APPROVE_ABOVE?: string };

/** Another process on the same ledger, with settings of its own. */
async function openOther({ context }: Place, own: Own = {}): Promise<Context> {
  const settings = { ...context.settings, APPROVE_ALWAYS: 'off' as const, APPROVE_ABOVE: undefined, ...own };
  const other = await openContext({ settings, log: makeSilentLog() });
  onTestFinished(() => other.close());
  return other;
}

/** A serving process starts with these settings. */
async function serve(place: Place, own: Own = {}): Promise<Context> {
  const serving = await openOther(place, own);
  await keepApprovalRule(serving);
  return serving;
}

async function importBy(context: Context, { dir }: Place, lines: string[], supplierPath?: string) {
  const path = join(dir, 'q4.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  const given = { ...importDepsOf(context), stopping: new AbortController().signal, onBatch: () => {} };
  return importPortfolio({ portfolio: 'q4', path, reading: {}, replace: false, by: 'alice', supplierPath }, given);
}

async function answer({ context }: Place, is: 'grant' | 'decline') {
  for (const { id, digest } of await context.approvals.waiting()) {
    await context.approvals[is]({ id, digest, by: 'bob', words: is });
    const approval = await context.approvals.read(id);
    if (approval) await carryOutAnswered(approval, context);
  }
}

const statesOf = async ({ context }: Place) => (await context.portfolios.read('q4')).states;

const changesIn = async ({ audit }: Context) =>
  (await audit.read.page({ count: 10, walk: 100, filter: { what: 'approval rule changed' } })).entries
    .map(({ facts }) => facts)
    .reverse();

describe('the rule of approval', () => {
  // Promise: stricter-rule-counts
  test('takes effect at once in a process that is already running', async () => {
    const place = await openWorkplace();
    expect(await place.context.approvalPolicy()).toMatchObject({ always: false, above: undefined });
    await serve(place, { APPROVE_ALWAYS: 'on' });
    expect(await place.context.approvalPolicy()).toMatchObject({ always: true, above: undefined });
    expect((await place.import(buyerLines(1))).approval).toMatchObject({ rows: 1 });
  });

  // Promise: stricter-rule-counts
  test.each<[Own, Own, { always: boolean; above: string | undefined }]>([
    [{ APPROVE_ABOVE: '900' }, { APPROVE_ABOVE: '1000' }, { always: false, above: '900' }],
    [{ APPROVE_ABOVE: '1000' }, { APPROVE_ABOVE: '900.50' }, { always: false, above: '900.50' }],
    [{ APPROVE_ABOVE: '1000' }, { APPROVE_ALWAYS: 'on' }, { always: true, above: '1000' }],
    [{ APPROVE_ALWAYS: 'on' }, { APPROVE_ABOVE: '5' }, { always: true, above: '5' }],
    [{}, { APPROVE_ABOVE: '5' }, { always: false, above: '5' }],
    [{ APPROVE_ABOVE: '0' }, {}, { always: false, above: '0' }],
  ])('is the stricter of the serving process (%j) and the acting process (%j)', async (serving, acting, together) => {
    const place = await openWorkplace();
    await serve(place, serving);
    expect(await (await openOther(place, acting)).approvalPolicy()).toMatchObject(together);
  });

  // Promises: rule-change-audited, unwritten-rule-change-undone
  test('changes only when a serving process restarts, and the audit records each change once', async () => {
    const place = await openWorkplace();
    const [none, always, above] = [
      { always: false, above: null },
      { always: true, above: null },
      { always: false, above: '1500' },
    ];
    await Promise.all([serve(place, { APPROVE_ALWAYS: 'on' }), serve(place, { APPROVE_ALWAYS: 'on' })]);
    await openOther(place);
    expect(await place.context.approvalPolicy()).toMatchObject({ always: true });
    await serve(place, { APPROVE_ABOVE: '1500' });
    await serve(place);
    expect(await changesIn(place.context)).toMatchObject([
      { before: none, after: always },
      { before: always, after: above },
      { before: above, after: none },
    ]);
    expect((await place.import(buyerLines(2))).approval).toBeUndefined();
    expect(await statesOf(place)).toMatchObject({ queued: 2, awaiting: 0 });
  });

  // Promise: running-rule-stays
  test('stays as strict as every serving process asks, also if the settings of one are unknown', async () => {
    const place = await openWorkplace();
    const { context } = place;
    const strict = await serve(place, { APPROVE_ALWAYS: 'on' });
    await strict.fleet.join('work');
    const sums = await serve(place, { APPROVE_ABOVE: '1500' });
    expect(await context.approvalPolicy()).toMatchObject({ always: true, above: '1500' });
    await sums.fleet.join('console');
    await serve(place);
    expect(await context.approvalPolicy()).toMatchObject({ always: true, above: '1500' });
    await strict.fleet.leave();
    await serve(place);
    expect(await context.approvalPolicy()).toMatchObject({ always: false, above: '1500' });
    await sums.fleet.leave();
    const earlier = makeFleet({ ...context, connection: connectRedis(), processId: 'old' });
    onTestFinished(() => earlier.leave());
    await earlier.join('work');
    await serve(place);
    expect(await context.approvalPolicy()).toMatchObject({ above: undefined });
    const said = (await connectRedis().hget(context.keys.fleet, 'old')) ?? '';
    await serve(place, { APPROVE_ABOVE: '1500' });
    await earlier.leave();
    await connectRedis().hset(context.keys.fleet, { old: said.replace('"asks":null,', '') });
    await serve(place);
    expect(await context.approvalPolicy()).toMatchObject({ above: '1500' });
  });

  // Promise: running-rule-stays
  test('returns if a process without it started at the same moment', async () => {
    const place = await openWorkplace();
    const strict = await serve(place, { APPROVE_ALWAYS: 'on' });
    await serve(place, { APPROVE_ABOVE: '1500' });
    expect(await place.context.approvalPolicy()).toMatchObject({ always: false });
    await strict.fleet.join('work');
    await expect.poll(place.context.approvalPolicy).toMatchObject({ always: true, above: '1500' });
    await strict.fleet.leave();
  });

  // Promise: unwritten-rule-change-undone
  test('stays unchanged if the audit cannot record the change', async () => {
    const place = await openWorkplace();
    await serve(place, { APPROVE_ALWAYS: 'on' });
    const next = await openOther(place);
    const audit = { ...next.audit, note: () => Promise.reject(new Error('no audit')) };
    await expect(keepApprovalRule({ ...next, audit })).rejects.toThrow('no audit');
    expect(await place.context.approvalPolicy()).toMatchObject({ always: true, above: undefined });
  });

  // Promise: rule-binds-every-command
  test('applies to rows that a process without settings retries', async () => {
    const place = await openPortfolio(2, {});
    const [first, second] = await place.all('queued');
    if (!first || !second) throw new Error('no row');
    await place.refuse(first);
    await place.refuse(second);
    await serve(place, { APPROVE_ABOVE: '1000' });
    expect(await retryRow(first, 'olivia', place.context)).toMatchObject({ is: 'waits', asked: { rows: 1 } });
    const all = { portfolio: 'q4', state: 'refused', by: 'olivia' } as const;
    expect(await retryRows(all, place.context)).toMatchObject({ rows: 0, waits: { rows: 1 } });
    await answer(place, 'decline');
    // The retried row is refused again. The decline still counts, although no rule requires approval any more.
    await serve(place);
    expect(await retryRow(second, 'olivia', place.context)).toMatchObject({ is: 'waits' });
    expect(await statesOf(place)).toMatchObject({ refused: 1, awaiting: 1, queued: 0 });
  });
});

/** A portfolio of so many declined rows, under a rule that was lifted afterwards. */
async function openDeclined(rows: number) {
  const place = await openWorkplace();
  await importBy(await serve(place, { APPROVE_ALWAYS: 'on' }), place, buyerLines(rows));
  await answer(place, 'decline');
  await serve(place);
  expect(await statesOf(place)).toMatchObject({ cancelled: rows });
  return place;
}

describe('declined rows wait for another approval after the rule was lifted', () => {
  // Promise: declined-needs-another-approval
  test('when they are imported again, while new rows beside them are queued', async () => {
    const place = await openDeclined(2);
    const { approval } = await importBy(place.context, place, buyerLines(3));
    expect(approval).toMatchObject({ standing: 'waiting', rows: 2, authors: ['alice'] });
    expect(await statesOf(place)).toMatchObject({ awaiting: 2, queued: 1 });
    await answer(place, 'grant');
    expect(await statesOf(place)).toMatchObject({ queued: 3 });
  });

  // Promise: declined-row-in-other-words
  test('when they are imported with another amount', async () => {
    const place = await openDeclined(1);
    const less = buyerLines(1).map((line) => line.replace('1001.50', '900'));
    expect((await importBy(place.context, place, less)).approval).toMatchObject({ rows: 1, sum: '900.00' });
    expect(await statesOf(place)).toMatchObject({ queued: 0, awaiting: 1 });
  });

  // Promise: declined-needs-another-approval
  test('when they are retried, and a direct requeue does nothing', async () => {
    const place = await openDeclined(2);
    const { context } = place;
    for await (const page of foundPages(context.rows, 'q4', 'cancelled')) {
      for (const { row } of page) expect(await sendAgain(row, 'cancelled', context, true, 'alice')).toBe(false);
    }
    const retried = await retryRows({ portfolio: 'q4', state: 'cancelled', line: 2, by: 'carol' }, context);
    expect(retried).toMatchObject({ rows: 0, waits: { rows: 1 } });
    expect(await statesOf(place)).toMatchObject({ awaiting: 1, cancelled: 1, queued: 0 });
  });

  test('when they were cancelled while they waited again', async () => {
    const place = await openDeclined(1);
    const { context } = place;
    await importBy(context, place, buyerLines(1));
    await answer(place, 'decline');
    expect((await importBy(context, place, buyerLines(1))).approval).toMatchObject({ rows: 1 });
    await context.portfolios.cancel('q4', 'alice');
    expect(await importBy(context, place, buyerLines(1))).toBeDefined();
    expect((await statesOf(place)).queued).toBe(0);
  });

  // Promise: declined-needs-another-approval
  test('when an import that brought them in was killed', async () => {
    const place = await openDeclined(300);
    const stop = new AbortController();
    const path = join(place.dir, 'q4.csv');
    const killed = {
      ...importDepsOf(place.context),
      stopping: stop.signal,
      onBatch: () => stop.abort(new Error('killed')),
    };
    const payload = { portfolio: 'q4', path, reading: {}, replace: false, by: 'alice' };
    await expect(importPortfolio(payload, killed)).rejects.toThrow('is stopping');
    expect((await importBy(place.context, place, buyerLines(300))).approval).toMatchObject({ rows: 300 });
    expect(await statesOf(place)).toMatchObject({ awaiting: 300, queued: 0 });
    expect(await place.context.portfolios.compare(['q4'])).toEqual([]);
  });

  // Promise: declined-needs-another-approval
  test('when a declined supplier is imported again, together with all rows that need it', async () => {
    const place = await openWorkplace();
    const supplierPath = join(place.dir, 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
    await importBy(await serve(place, { APPROVE_ALWAYS: 'on' }), place, buyerLines(1), supplierPath);
    await answer(place, 'decline');
    await serve(place);
    const { approval } = await importBy(place.context, place, buyerLines(2), supplierPath);
    expect(approval).toMatchObject({ standing: 'waiting', rows: 2 });
    // A further import does not make Limitline forget the decline.
    await importBy(place.context, place, buyerLines(2), supplierPath);
    await place.work();
    await expect.poll(() => place.context.queues.areIdle()).toBe(true);
    expect(place.standIn.counts().requests.company).toEqual({});
    await answer(place, 'grant');
    expect(await place.settled()).toMatchObject({ states: { done: 2 } });
    expect(place.standIn.counts().made).toMatchObject({ company: 3, limit: 2 });
  });
});
