import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closeLeft } from '../../../jobs/approvals/answer-approval.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { freeApproved } from '../../../jobs/rows/free-approved.ts';
import { type Approval, NO_APPROVAL } from '../../../src/ledger/schema/approval.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

const ALWAYS = { env: { APPROVE_ALWAYS: 'on' } };

async function waitingIn({ context }: Place): Promise<Approval> {
  const [found] = await context.approvals.waiting();
  if (!found) throw new Error('Nothing waits');
  return found;
}

async function grant(place: Place, by = 'bob') {
  const { id, digest } = await waitingIn(place);
  return place.context.approvals.grant({ id, digest, by });
}

/** Imports with other settings, under which nobody has to approve anything. */
async function importUnasked({ context, dir }: Place, lines: string[], portfolio: string) {
  const path = join(dir, `${portfolio}.csv`);
  await writeFile(path, `${lines.join('\n')}\n`);
  const stopping = new AbortController().signal;
  const deps = { ...importDepsOf(context), approvalPolicy: async () => NO_APPROVAL, onBatch: () => {}, stopping };
  return importPortfolio({ portfolio, path, reading: {}, replace: false }, deps);
}

// Promise: imports-wait-for-approval
test('nothing of an import is sent, not even its supplier, before another person approves it', async () => {
  const place = await openWorkplace(ALWAYS);
  const { context, standIn, work, settled, dir } = place;
  const supplierPath = join(dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
  await work();
  const { approval } = await place.import(buyerLines(30), { supplierPath });
  expect(approval).toMatchObject({ standing: 'waiting', rows: 30, kind: 'import' });
  // Other portfolios are sent meanwhile.
  await importUnasked(place, ['name,country_code,requested_limit', 'Other AG,FR,1'], 'other');
  expect(await settled('other')).toMatchObject({ states: { done: 1 } });
  expect(standIn.counts().made).toMatchObject({ company: 1, limit: 1 });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ awaiting: 30 });
  expect(await grant(place)).toBe('granted');
  expect(await settled()).toMatchObject({
    states: { done: 30, awaiting: 0 },
    supplier: expect.stringMatching(/^company_/),
  });
  expect(standIn.counts().made).toMatchObject({ company: 32, limit: 31 });
});

describe('approved rows', () => {
  // Promise: answers-carried-out
  test.each([1, 30])('are all sent even if the approving process died after %i rows', async (rows) => {
    const place = await openWorkplace(ALWAYS);
    const { context, work, settled, standIn } = place;
    await place.import(buyerLines(30));
    const { id } = await waitingIn(place);
    await grant(place);
    const of = { portfolio: 'q4', id };
    await context.approvals.freeSome(of, await context.approvals.rowsOf(of, { count: rows }));
    await work();
    expect(await settled()).toMatchObject({ states: { done: 30 } });
    expect(standIn.counts().made.limit).toBe(30);
    expect(await context.approvals.answered()).toEqual([]);
  });

  test('are queued once if several processes release them simultaneously', async () => {
    const place = await openWorkplace(ALWAYS);
    const { context } = place;
    await place.import(buyerLines(120));
    const { id } = await waitingIn(place);
    await grant(place);
    await Promise.all([1, 2, 3].map(() => freeApproved({ portfolio: 'q4', id }, context)));
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 120, awaiting: 0 });
    expect(await context.portfolios.compare(['q4'])).toEqual([]);
  });
});

test('declined rows are cancelled, and their supplier is not created', async () => {
  const place = await openWorkplace(ALWAYS);
  const { context, work, settled, standIn, dir } = place;
  const supplierPath = join(dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
  await place.import(buyerLines(3), { supplierPath });
  const { id, digest } = await waitingIn(place);
  expect(await context.approvals.decline({ id, digest, by: 'bob', words: 'not this quarter' })).toBe('declined');
  await work();
  expect(await settled()).toMatchObject({ states: { cancelled: 3 } });
  await expect
    .poll(async () => (await context.portfolios.read('q4')).supplier)
    .toMatchObject({ problem: 'declined by bob: not this quarter' });
  expect(standIn.counts().made).toMatchObject({ company: 0, limit: 0 });
});

// Promise: approved-supplier-counts
test('the company id of a supplier counts after the approval of its import, and not after a decline', async () => {
  const place = await openWorkplace(ALWAYS);
  const { context, work, report, dir } = place;
  const supplierPath = join(dir, 'supplier.csv');
  const supplier = async () => (await context.portfolios.read('q4')).supplier;
  await writeFile(supplierPath, 'company_id\ncompany_1\n');
  await place.import(buyerLines(1), { supplierPath });
  expect((await report()).supplier).toBeNull();
  const declined = await waitingIn(place);
  expect(await context.approvals.decline({ ...declined, by: 'bob', words: 'not this one' })).toBe('declined');
  await work();
  await expect
    .poll(supplier, { timeout: 20_000 })
    .toEqual({ key: 'id:company_1', problem: 'declined by bob: not this one' });
  await writeFile(supplierPath, 'company_id\ncompany_2\n');
  await place.import(buyerLines(2), { supplierPath });
  expect((await report()).supplier).toBeNull();
  expect(await context.approvals.grant({ ...(await waitingIn(place)), by: 'bob' })).toBe('granted');
  expect((await report()).supplier).toBe('company_2');
});

test('an approval covers every field of the supplier file that was shown', async () => {
  const place = await openWorkplace(ALWAYS);
  const { context, dir } = place;
  const supplierPath = join(dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code,city\nSupplier GmbH,DE,Bremen\n');
  await place.import(buyerLines(1), { supplierPath });
  const seen = await waitingIn(place);
  await writeFile(supplierPath, 'name,country_code,city\nSupplier GmbH,DE,Berlin\n');
  await place.import(buyerLines(1), { supplierPath });
  expect(await context.approvals.grant({ ...seen, by: 'bob' })).toBe('granted');
  const { supplier, laterSupplier } = await context.portfolios.read('q4');
  expect([supplier, laterSupplier]).toMatchObject([
    { body: { address: { city: 'Bremen' } } },
    { body: { address: { city: 'Berlin' } }, awaits: true },
  ]);
});

// Promise: splitting-avoids-nothing
test('rows below APPROVE_ABOVE are sent, and rows that bring the portfolio above it wait', async () => {
  const place = await openWorkplace({ env: { APPROVE_ABOVE: '3006' } });
  const { work, settled, context, standIn } = place;
  await work();
  // The sum is 1,001.50 and 1,002.50, then 1,003.50 more.
  expect((await place.import(buyerLines(2))).approval).toBeUndefined();
  expect(await settled()).toMatchObject({ states: { done: 2 } });
  expect((await place.import(buyerLines(3))).approval).toMatchObject({ rows: 1, sum: '1003.50' });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ done: 2, awaiting: 1 });
  await grant(place);
  expect(await settled()).toMatchObject({ states: { done: 3 } });
  expect(standIn.counts().made.limit).toBe(3);
});

/** Imports 300 lines in a process that is killed after the first batch. */
async function importKilled({ context, dir }: Place, supplier: { supplierPath?: string } = {}) {
  const path = join(dir, 'q4.csv');
  await writeFile(path, `${buyerLines(300).join('\n')}\n`);
  const stop = new AbortController();
  const payload = { portfolio: 'q4', path, reading: {}, replace: false, by: 'alice', ...supplier };
  const deps = { ...importDepsOf(context), stopping: stop.signal, onBatch: () => stop.abort(new Error('killed')) };
  await expect(importPortfolio(payload, deps)).rejects.toThrow('is stopping');
  expect((await context.portfolios.read('q4')).states.awaiting).toBeGreaterThan(0);
  return payload;
}

describe('an import that is killed', () => {
  test('leaves its rows waiting, and the repeated command continues the same approval', async () => {
    const place = await openWorkplace(ALWAYS);
    const { context } = place;
    const payload = await importKilled(place);
    const [open] = await context.approvals.of('q4');
    expect(open).toMatchObject({ standing: 'open', authors: ['alice'] });
    const going = { ...importDepsOf(context), stopping: new AbortController().signal, onBatch: () => {} };
    const { approval } = await importPortfolio({ ...payload, by: 'carol' }, going);
    expect(approval).toMatchObject({ id: open?.id, standing: 'waiting', rows: 300, authors: ['alice', 'carol'] });
    // The import is repeated by another person. Nothing new waits, and that person does not become an author.
    expect((await importPortfolio({ ...payload, by: 'dave' }, going)).approval).toBeUndefined();
    expect((await waitingIn(place)).authors).toEqual(['alice', 'carol']);
  });

  test('leaves no rows waiting if the repeated import requires no approval', async () => {
    const place = await openWorkplace(ALWAYS);
    const { context } = place;
    await importKilled(place);
    await importUnasked(place, buyerLines(300), 'q4');
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 300, awaiting: 0 });
    expect(await context.portfolios.compare(['q4'])).toEqual([]);
  });

  // Promise: killed-import-can-be-answered
  test('leaves rows that no other file contains to an approval of their own', async () => {
    const place = await openWorkplace(ALWAYS);
    const { context } = place;
    await importKilled(place);
    const [left] = await context.approvals.of('q4');
    const { keys, ledger } = context;
    const age = (minutes: number) => ledger.hset(keys.approval(left?.id ?? ''), 'asked', Date.now() - minutes * 60_000);
    await age(60);
    // The open approval asks for its file to be imported again.
    await closeLeft(context);
    expect(await context.approvals.read(left?.id ?? '')).toMatchObject({ standing: 'open' });
    const { approval, lacking } = await place.import(buyerLines(100), { by: 'alice' });
    expect(approval).toMatchObject({ rows: 100 });
    expect(lacking).toBe((left?.rows ?? 0) - 100);
    await age(9);
    await closeLeft(context);
    expect(await context.approvals.read(left?.id ?? '')).toMatchObject({ standing: 'open' });
    await age(11);
    await closeLeft(context);
    expect(await context.approvals.read(left?.id ?? '')).toMatchObject({
      standing: 'waiting',
      rows: lacking,
      because: 'left',
    });
  });

  // Promise: killed-supplier-can-be-answered
  test.each([
    ['with a company to be made', 'name,country_code\nNord GmbH,DE'],
    ['with a company_id', 'company_id\ncompany_77'],
  ])('leaves a supplier %s to an approval of its own, also if no row waits', async (_what, text) => {
    const place = await openWorkplace(ALWAYS);
    const { approvals, keys, ledger } = place.context;
    const supplierPath = join(place.dir, 'supplier.csv');
    await writeFile(supplierPath, text);
    await importKilled(place, { supplierPath });
    const [{ id } = { id: '' }] = await approvals.of('q4');
    await cancelRows({ portfolio: 'q4' }, place.context);
    await ledger.hset(keys.approval(id), 'asked', Date.now() - 11 * 60_000);
    await closeLeft(place.context);
    expect(await approvals.read(id)).toMatchObject({ standing: 'waiting', rows: 0 });
  });
});

// Promise: changed-rows-leave-approval
test('--replace takes rows that the new file lacks out of the waiting approval', async () => {
  const place = await openWorkplace(ALWAYS);
  const { context } = place;
  await place.import(buyerLines(5), { by: 'alice' });
  const seen = await waitingIn(place);
  const mended = [...buyerLines(3), 'Late GmbH,DE,HRB 77,5.00'];
  expect(await place.import(mended, { by: 'alice' })).toMatchObject({ lacking: 2, givenUp: 0 });
  expect(await place.import(mended, { by: 'alice', replace: true })).toMatchObject({ lacking: 0, givenUp: 2 });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ awaiting: 4, cancelled: 2 });
  expect(await context.approvals.grant({ ...seen, by: 'bob' })).toBe('changed');
  expect(await waitingIn(place)).toMatchObject({ id: seen.id, rows: 3 });
});

test('one file imported twice simultaneously waits as a whole, with each row once', async () => {
  const place = await openWorkplace(ALWAYS);
  await Promise.all([place.import(buyerLines(300)), place.import(buyerLines(300))]);
  const waiting = await place.context.approvals.waiting();
  expect(waiting.reduce((sum, { rows }) => sum + rows, 0)).toBe(300);
  expect((await place.context.portfolios.read('q4')).states).toMatchObject({ awaiting: 300 });
  expect(await place.context.portfolios.compare(['q4'])).toEqual([]);
});

// Promise: sent-as-said-last
test('an approved row that another file corrects waits again, and the old content is not sent', async () => {
  const place = await openWorkplace(ALWAYS);
  const { work, settled, standIn, context } = place;
  await place.import(buyerLines(2));
  const seen = await waitingIn(place);
  const lines = buyerLines(2);
  await place.import([lines[0] ?? '', (lines[1] ?? '').replace('1001.50', '9999')]);
  expect(await context.approvals.grant({ ...seen, by: 'bob' })).toBe('changed');
  const [first, second] = await context.approvals.waiting();
  expect([first, second]).toMatchObject([
    { rows: 1, sum: '1002.50' },
    { rows: 1, sum: '9999.00' },
  ]);
  await context.approvals.grant({ id: second?.id ?? '', digest: second?.digest ?? '', by: 'bob' });
  await work();
  await expect.poll(() => standIn.counts().made.limit).toBe(1);
  await grant(place);
  expect(await settled()).toMatchObject({ states: { done: 2, cancelled: 1 }, requested: '11001.50' });
});
