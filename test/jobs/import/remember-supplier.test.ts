import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { waitsFor } from '../../../src/console/pages/portfolio/waits-for.ts';
import { laterSupplierWords } from '../../../src/ledger/portfolios/portfolio.ts';
import { type Summary, summarize } from '../../../src/ledger/portfolios/summary.ts';
import { type Approval, whyWords } from '../../../src/ledger/schema/approval.ts';
import { testsBeside } from '../../support/tests-beside.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

const test = testsBeside();

const SAID = 'name,country_code,city\nSupplier GmbH,DE,Bremen\n';

/**
 * An import pauses before it stores its supplier. Meanwhile the same file is imported with the supplier `SAID`, and
 * approved.
 */
async function openStill(other: string) {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { context, dir } = place;
  const { approvals } = context;
  const [supplierPath, otherPath, path] = ['said.csv', 'other.csv', 'q4.csv'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(supplierPath, SAID);
  await writeFile(otherPath, other);
  await writeFile(path, `${buyerLines(2).join('\n')}\n`);
  let asked = 0;
  const deps: Parameters<typeof importPortfolio>[1] = {
    ...importDepsOf(context),
    onBatch: () => {},
    stopping: new AbortController().signal,
    async retryUntilAnswered(what, run) {
      if (what === 'supplier') asked += 1;
      if (what === 'supplier' && asked === 2) {
        await place.importFile(path, {}, { supplierPath, by: 'alice' });
        const [found] = await approvals.waiting();
        expect(await approvals.grant({ id: found?.id ?? '', digest: found?.digest ?? '', by: 'bob' })).toBe('granted');
        await carryOutAllAnswered(context);
      }
      return context.retryUntilAnswered(what, run);
    },
  };
  const payload = { portfolio: 'q4', path, reading: {}, replace: false, supplierPath: otherPath, by: 'alice' };
  await importPortfolio(payload, deps);
  expect(asked).toBeGreaterThanOrEqual(2);
  await place.work();
  await place.settled();
  return place;
}

// Promise: yes-covers-what-was-seen
test.each([
  ['with another address', 'name,country_code,city\nSupplier GmbH,DE,Berlin\n'],
  ['of another name', 'name,country_code\nOther GmbH,DE\n'],
  ['that exists', 'company_id\ncompany_other\n'],
])(
  'a supplier %s needs its own approval even if an import of the same file was approved meanwhile',
  async (_, other) => {
    const { context, standIn, report } = await openStill(other);
    const { supplier, supplierAwaits, laterSupplier } = await context.portfolios.read('q4');
    expect({ supplier, supplierAwaits }).toMatchObject({
      supplier: { body: { name: 'Supplier GmbH' } },
      supplierAwaits: false,
    });
    expect(laterSupplier).toMatchObject({ awaits: true });
    // The approved rows are sent with the supplier that was approved with them.
    expect((await report()).supplier).toMatch(/^company_/);
    expect(await context.approvals.waiting()).toMatchObject([{ portfolio: 'q4', rows: 0 }]);
    expect(standIn.counts().made.company).toBe(3);
  },
);

test('the same supplier needs no second approval after an import of the same file was approved', async () => {
  const { context, standIn } = await openStill(SAID);
  expect(await context.portfolios.read('q4')).toMatchObject({
    supplierAwaits: false,
    supplier: { id: expect.stringMatching(/^company_/) },
  });
  expect(await context.approvals.waiting()).toEqual([]);
  expect(standIn.counts().made.company).toBe(3);
});

/** Imports need approval. `bring` imports a line with a supplier of this name, and returns what bob would answer. */
async function openApproved() {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { approvals } = place.context;
  const bring = async (name: string, line: string, portfolio = 'q4') => {
    const supplierPath = join(place.dir, `${name}.csv`);
    await writeFile(supplierPath, `name,country_code\n${name},DE\n`);
    const lines = ['name,country_code,company_registration_number,requested_limit', line];
    const { approval } = await place.import(lines, { by: 'alice', supplierPath, portfolio });
    expect(approval?.supplier).toBe(name);
    return { id: approval?.id ?? '', digest: approval?.digest ?? '', by: 'bob', words: 'not this one' };
  };
  const answer = async (said: Awaited<ReturnType<typeof bring>>, is: 'grant' | 'decline' = 'grant') => {
    expect(await approvals[is](said)).toBe(is === 'grant' ? 'granted' : 'declined');
    await carryOutAllAnswered(place.context);
  };
  return { ...place, bring, answer };
}

// Promise: approved-supplier-counts
test('an approved supplier stays in use until a later one is approved', async () => {
  const { bring, ...place } = await openApproved();
  const { context, settled } = place;
  const { approvals, portfolios } = context;
  expect(await approvals.grant(await bring('First GmbH', 'A GmbH,DE,HRB 1,5'))).toBe('granted');
  const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  await carryOutAllAnswered(context);
  await place.work();
  await expect.poll(async () => (await portfolios.read('q4')).states.done, { timeout: 30_000 }).toBe(1);
  const { supplier: first, ...state } = await portfolios.read('q4');
  expect(first).toMatchObject({ body: { name: 'First GmbH' }, id: expect.stringMatching(/^company_/) });
  expect(laterSupplierWords(state)).toContain('another supplier, Second GmbH. It waits for approval.');
  // First GmbH has been created meanwhile, so the digest of the later approval has changed.
  const { digest = '' } = (await approvals.read(later.id)) ?? {};
  expect(await approvals.decline({ ...later, digest })).toBe('declined');
  await carryOutAllAnswered(context);
  const declined = await portfolios.read('q4');
  expect(declined.supplier).toEqual(first);
  expect(laterSupplierWords(declined)).toContain('Second GmbH. It was not taken: declined by bob: not this one.');
  const report = summaryTable((await summarize('q4', context)) as Summary, declined);
  for (const named of [`Supplier: ${first?.id}`, 'Second GmbH']) expect(report).toContain(named);
  const shown = waitsFor({ state: declined, pace: undefined, workers: 1, pausedQueues: [], nowMs: 0 });
  expect(shown.map(({ words }) => String(words)).join()).toContain('Second GmbH');
  expect(await approvals.grant(await bring('Third GmbH', 'C GmbH,DE,HRB 3,5'))).toBe('granted');
  await carryOutAllAnswered(context);
  expect((await settled()).states).toMatchObject({ done: 2, cancelled: 1 });
  const third = await portfolios.read('q4');
  expect(third).toMatchObject({ supplier: { body: { name: 'Third GmbH' }, id: expect.stringMatching(/^company_/) } });
  expect(laterSupplierWords(third)).toBe(undefined);
});

// Promise: last-approved-supplier-counts
test.each([['q4'], ['q5']])(
  'two waiting imports with suppliers each get theirs, even if the earlier is approved last (the second in %s)',
  async (second) => {
    const { bring, answer, context, standIn, ...place } = await openApproved();
    const supplierOf = async (name: string) => (await context.portfolios.read(name)).supplier;
    const earlier = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
    const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5', second);
    await place.work();
    await answer(later);
    const made = { timeout: 30_000 };
    await expect
      .poll(() => supplierOf(second), made)
      .toMatchObject({ body: { name: 'Second GmbH' }, id: expect.any(String) });
    // The first approval still covers what was shown before the second supplier was imported.
    await answer(earlier);
    await expect
      .poll(() => supplierOf('q4'), made)
      .toMatchObject({ body: { name: 'First GmbH' }, id: expect.any(String) });
    expect((await place.settled()).states.done).toBe(second === 'q4' ? 2 : 1);
    await place.settled(second);
    expect(standIn.counts().made.company).toBe(4);
  },
);

test.each([['grant'], ['decline']] as const)(
  'a supplier approved while a later one waits is created, whatever the later answer is (%s)',
  async (is) => {
    const { bring, answer, context, standIn, ...place } = await openApproved();
    const supplierOf = async () => (await context.portfolios.read('q4')).supplier;
    const earlier = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
    const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
    await place.work();
    if (is === 'decline') await answer(later, is);
    await answer(earlier);
    const made = { timeout: 30_000 };
    await expect.poll(supplierOf, made).toMatchObject({ body: { name: 'First GmbH' }, id: expect.any(String) });
    if (is === 'grant') await answer(later);
    const counts = is === 'grant' ? 'Second GmbH' : 'First GmbH';
    await expect.poll(supplierOf, made).toMatchObject({ body: { name: counts }, id: expect.any(String) });
    await place.settled();
    expect(standIn.counts().made.company).toBe(is === 'grant' ? 4 : 2);
  },
);

test('a decline of the earlier of two suppliers concerns that one only', async () => {
  const { bring, answer, context, ...place } = await openApproved();
  const earlier = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
  const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  await answer(earlier, 'decline');
  await answer(later);
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, cancelled: 1 });
  expect((await context.portfolios.read('q4')).supplier).toMatchObject({ body: { name: 'Second GmbH' } });
  const { approval } = await place.import(['name,country_code,requested_limit', 'C GmbH,DE,7'], {
    by: 'alice',
    supplierPath: join(place.dir, 'First GmbH.csv'),
    portfolio: 'q5',
  });
  expect(approval?.redone).toBe('by bob: not this one');
});

// Promise: displaced-supplier-not-created
test('an approval names the approved supplier that it would displace before its creation', async () => {
  const { bring, answer, context, standIn, ...place } = await openApproved();
  const { approvals } = context;
  const why = async (id: string) => whyWords((await approvals.read(id)) as Approval);
  const earlier = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
  const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  for (const { id } of [earlier, later]) expect(await why(id)).not.toContain('not created then');
  await answer(earlier);
  const words =
    'It takes the place of First GmbH, which was approved for this portfolio and is not created yet, and is not created then.';
  expect(await why(later.id)).toContain(`unless it was before. ${words}`);
  // The earlier view of the approval did not mention this.
  expect(await approvals.grant(later)).toBe('changed');
  const { digest = '' } = (await approvals.read(later.id)) ?? {};
  await answer({ ...later, digest });
  expect(await why(later.id)).not.toContain('not created then');
  await place.work();
  expect((await place.settled()).states.done).toBe(2);
  expect((await context.portfolios.read('q4')).supplier).toMatchObject({ body: { name: 'Second GmbH' } });
  expect(standIn.counts().made.company).toBe(3);
});

test('an import reports the supplier columns that no call sends, if there are any', async () => {
  const { dir, importFile } = await openWorkplace();
  const [path, plain, more] = [join(dir, 'q4.csv'), join(dir, 'plain.csv'), join(dir, 'more.csv')];
  await writeFile(path, `${buyerLines(1).join('\n')}\n`);
  await writeFile(plain, SAID);
  await writeFile(more, 'name,country_code,Fax\nSupplier GmbH,DE,12\n');
  for (const wish of [{}, { supplierPath: plain }])
    expect(await importFile(path, {}, wish)).not.toHaveProperty('supplierColumnsNotSent');
  expect(await importFile(path, {}, { supplierPath: more })).toMatchObject({ supplierColumnsNotSent: ['Fax'] });
});
