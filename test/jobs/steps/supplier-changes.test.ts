import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/carry-out-answers.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { reviveGivenUpSupplier } from '../../../jobs/operators/supplier-again.ts';
import { supplierJob } from '../../../jobs/rows/step-jobs.ts';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import { readSettings } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openService } from '../../../src/open-service.ts';
import { openWorkplace } from '../../support/workplace.ts';

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
  /** Runs the supplier's job; `between` happens behind its look at the portfolio, and before its claim. */
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
test('a supplier that nobody approved is not created where a later one is approved between the look and the claim', async () => {
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

test('an address of a supplier that nobody approved is not sent where another address of it is approved between the look and the claim', async () => {
  const { bring, grant, runJob, bodies, done } = await openApproved();
  const first = await bring('First GmbH', 'A GmbH,DE,HRB 1,5', 'Approved Street 1');
  await bring('First GmbH', 'B GmbH,DE,HRB 2,5', 'Other Street 2');
  await runJob(
    () => true,
    () => grant(first),
  );
  await expect.poll(done, { timeout: 20_000 }).toBe(1);
  expect(JSON.stringify(bodies())).not.toContain('Other Street 2');
});

// Promise: displaced-supplier-not-created
test('a supplier of which an approver was told that it is not created is not created behind the yes', async () => {
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

test('an import can be approved where the supplier of an older version has no key', async () => {
  const { bring, grant, context } = await openApproved();
  await grant(await bring('First GmbH', 'A GmbH,DE,HRB 1,5'));
  const { ledger, keys } = context;
  await ledger.hset(keys.portfolio('q4'), 'supplier', JSON.stringify({ body: { name: 'First GmbH' } }));
  const second = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  await grant(second);
}, 15_000);

// Promise: last-approved-supplier-counts
test('a supplier that an approver said yes to counts where the one before was sent again while its import came in', async () => {
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
