import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as alone, describe, expect, onTestFinished } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { resendSupplier, reviveGivenUpSupplier } from '../../../jobs/operators/free-held.ts';
import { supplierJob } from '../../../jobs/rows/feed.ts';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { readSettings } from '../../../src/config.ts';
import { waitsFor } from '../../../src/console/pages/portfolio/waits-for.ts';
import { openContext } from '../../../src/context.ts';
import { type Summary, summarize } from '../../../src/ledger/portfolios/summary.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openService } from '../../../src/open-service.ts';
import { testsBeside } from '../../support/tests-beside.ts';
import { buyerLines, makeFolder, openWorkplace } from '../../support/workplace.ts';

const test = testsBeside();

const SAID = { message: 'supplier is not known here' };

describe('the supplier', () => {
  test('is created first, and the report shows its id', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    const supplierPath = join(await makeFolder(), 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code,city\nLieferant AG,CH,Bern\n');
    await place.import(buyerLines(3), { supplierPath });
    await work();
    const report = await settled();
    const [first] = standIn.things('company');
    expect(first?.body).toMatchObject({
      name: 'Lieferant AG',
      address: { country_code: 'CH', city: 'Bern', state: null },
    });
    expect(report.supplier).toBe(first?.id);
    expect(report.states.done).toBe(3);
  });

  // Promise: refused-supplier-stops-no-row
  test('that the service refuses is reported, and stops no row', async () => {
    const { work, settled, context, standIn, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'company', match: 'Lieferant', fault: 'status', status: 422, body: SAID }] },
    });
    const supplierPath = join(await makeFolder(), 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code\nLieferant AG,CH\n');
    await place.import(buyerLines(2), { supplierPath });
    await work();
    expect(await settled()).toMatchObject({ supplier: null, states: { done: 2 } });
    const state = await context.portfolios.read('q4');
    // The problem has the words of the service and the command. No row is refused for it.
    const words =
      'The service refused the supplier with status 422: supplier is not known here. To ask for the supplier again, import a file into the portfolio with --supplier: npx limitline run FILE --portfolio "q4" --supplier FILE';
    expect(state.supplier?.problem).toBe(words);
    expect(summaryTable((await summarize('q4', context)) as Summary, state)).toContain(`Supplier: ${words}`);
    expect(
      waitsFor({ state, pace: undefined, workers: 1, pausedQueues: [], nowMs: 0 }).map((one) => one.words),
    ).toContain(`It could not be created: ${words}`);
    // The job is run again, as from the dashboard or after a stall.
    const before = standIn.counts();
    await context.queues.forget([supplierJob('q4').data]);
    await context.queues.add([supplierJob('q4')]);
    await expect.poll(() => context.queues.areIdle()).toBe(true);
    expect(standIn.counts()).toEqual(before);
  });

  // Promise: resolved-supplier-counts-everywhere
  test('in doubt counts for each portfolio that names it once it was made for one of them', async () => {
    const { work, settled, context, standIn, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'company', match: 'Lieferant', fault: 'reset', by: 'rst', made: false, times: 1 }] },
    });
    const supplierPath = join(await makeFolder(), 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code\nLieferant AG,CH\n');
    const [header = '', one = '', two = ''] = buyerLines(2);
    await place.import([header, one], { supplierPath });
    await place.import([header, two], { supplierPath, portfolio: 'q5' });
    await work();
    for (const name of ['q4', 'q5']) expect(await settled(name)).toMatchObject({ supplier: null });
    const { supplier } = await context.portfolios.read('q5');
    expect(supplier?.problem).toMatch(/^It is unknown whether the supplier was made/);
    await resendSupplier('q5', { key: supplier?.key ?? '', atMs: Date.now() }, context);
    await expect.poll(async () => (await place.report('q5')).supplier).toMatch(/^company_/);
    const [made] = standIn.things('company').filter(({ body }) => Object(body).name === 'Lieferant AG');
    expect(await place.report('q4')).toMatchObject({ supplier: made?.id });
    expect((await context.portfolios.read('q4')).supplier).not.toHaveProperty('problem');
  });
});

async function openApproved() {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { approvals } = place.context;
  const bring = async (name: string, line: string, street = '') => {
    const supplierPath = join(place.dir, `${name}${street}.csv`);
    await writeFile(supplierPath, `name,country_code,street\n${name},DE,${street}\n`);
    const lines = ['name,country_code,company_registration_number,requested_limit', line];
    const { approval } = await place.import(lines, { by: 'alice', supplierPath });
    return approval?.id ?? '';
  };
  const grant = async (id: string) => {
    const found = (await approvals.waiting()).find((one) => one.id === id);
    expect(await approvals.grant({ id, digest: found?.digest ?? '', by: 'bob' })).toBe('granted');
    await carryOutAllAnswered(place.context);
  };
  /** Runs the supplier's job. `between` happens after its look at the portfolio and before its claim. */
  const runJob = async (isMeant: (name: string) => boolean, between: () => Promise<unknown>) => {
    const own = await openContext({ settings: readSettings({ cwd: place.dir, env: place.env }), log: makeSilentLog() });
    onTestFinished(() => own.close());
    const { read } = own.portfolios;
    let happened: Promise<unknown> | undefined;
    own.portfolios.read = async (name) => {
      const seen = await read(name);
      const isJob = (new Error().stack ?? '').includes('create-supplier');
      if (isJob && isMeant(String(seen.supplier?.body?.name))) {
        happened ??= between();
        await happened;
      }
      return seen;
    };
    await place.context.queues.forget([supplierJob('q4').data]);
    await place.context.queues.add([supplierJob('q4')]);
    const workers = await startWorkers(own, openService(own, place.standIn.url()));
    onTestFinished(() => workers.stop());
    await expect.poll(() => happened !== undefined, { timeout: 20_000 }).toBe(true);
    await happened;
  };
  const bodies = () => place.standIn.things('company').map(({ body }) => body as Record<string, never>);
  const done = async () => (await place.context.portfolios.read('q4')).states.done;
  return { ...place, bring, grant, runJob, bodies, done };
}

// Promise: yes-covers-what-was-seen
test('an unapproved supplier is not created if a later one is approved between look and claim', async () => {
  const { bring, grant, runJob, bodies, done, context } = await openApproved();
  const first = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
  await runJob(
    (name) => name === 'First GmbH',
    async () => grant(await bring('Second GmbH', 'B GmbH,DE,HRB 2,5')),
  );
  await expect.poll(done, { timeout: 20_000 }).toBe(1);
  expect((await context.approvals.read(first))?.standing).toBe('waiting');
  expect(bodies().map(({ name }) => name)).not.toContain('First GmbH');
});

// Promise: yes-covers-what-was-seen
test.each([
  ['another supplier', 'Second GmbH', ''],
  ['another address of the supplier', 'First GmbH', 'Other Street 2'],
])(
  '%s without approval is not sent if the earlier supplier is approved between look and claim',
  async (_what, name, street) => {
    const { bring, grant, runJob, bodies, done } = await openApproved();
    const first = await bring('First GmbH', 'A GmbH,DE,HRB 1,5', 'Approved Street 1');
    await bring(name, 'B GmbH,DE,HRB 2,5', street);
    await runJob(
      () => true,
      () => grant(first),
    );
    await expect.poll(done, { timeout: 20_000 }).toBe(1);
    expect(bodies().map((body) => body.name)).toContain('First GmbH');
    for (const unseen of ['Other Street 2', 'Second GmbH']) expect(JSON.stringify(bodies())).not.toContain(unseen);
  },
);

// Promise: displaced-supplier-not-created
test('a displaced supplier is not created if the later one is approved between look and claim', async () => {
  const { bring, grant, runJob, bodies, done } = await openApproved();
  const first = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
  const second = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  await grant(first);
  await runJob(
    (name) => name === 'First GmbH',
    () => grant(second),
  );
  await expect.poll(done, { timeout: 20_000 }).toBe(2);
  expect(bodies().map(({ name }) => name)).not.toContain('First GmbH');
});

alone(
  'an import can be approved if the stored supplier of an earlier version has no key',
  async () => {
    const { bring, grant, context } = await openApproved();
    await grant(await bring('First GmbH', 'A GmbH,DE,HRB 1,5'));
    const { ledger, keys } = context;
    await ledger.hset(keys.portfolio('q4'), 'supplier', JSON.stringify({ body: { name: 'First GmbH' } }));
    const second = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
    await grant(second);
  },
  15_000,
);

// Promise: last-approved-supplier-counts
test('an approved supplier stays in use even if the previous one was revived during its import', async () => {
  const { bring, grant, context, ...place } = await openApproved();
  const { portfolios } = context;
  await grant(await bring('First GmbH', 'A GmbH,DE,HRB 1,5'));
  await cancelRows({ portfolio: 'q4', by: 'olivia' }, context);
  const workers = await place.work();
  await expect.poll(async () => (await portfolios.read('q4')).supplier?.problem, { timeout: 20_000 }).toBeDefined();
  await workers.stop();
  let second: string | undefined;
  const read = async (name: string) => {
    const seen = await portfolios.read(name);
    second ??= await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
    return seen;
  };
  await reviveGivenUpSupplier('q4', { ...context, portfolios: { ...portfolios, read } });
  await grant(second ?? '');
  expect((await portfolios.read('q4')).supplier).toMatchObject({ body: { name: 'Second GmbH' } });
  await place.work();
  await expect.poll(place.done, { timeout: 20_000 }).toBe(1);
  expect(place.bodies().map(({ name }) => name)).not.toContain('First GmbH');
});
