import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/carry-out-answers.ts';
import { supplierJob } from '../../../jobs/rows/step-jobs.ts';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { readSettings } from '../../../src/config.ts';
import { waitsFor } from '../../../src/console/pages/portfolio/waits-for.ts';
import { openContext } from '../../../src/context.ts';
import { type Summary, summarize } from '../../../src/ledger/portfolios/summary.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openService } from '../../../src/open-service.ts';
import { buyerLines, makeFolder, openWorkplace } from '../../support/workplace.ts';

const SAID = { message: 'supplier is not known here' };

describe('the supplier', () => {
  test('is created first, and its id stands on the portfolio', async () => {
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
    // The words of the service, and what to do: no row is refused for it.
    const words =
      'The service refused the supplier with status 422: supplier is not known here. To ask for the supplier again, import a file into the portfolio with --supplier: npx limitline run FILE --portfolio "q4" --supplier FILE';
    expect(state.supplier?.problem).toBe(words);
    expect(summaryTable((await summarize('q4', context)) as Summary, state)).toContain(`Supplier: ${words}`);
    expect(
      waitsFor({ state, pace: undefined, workers: 1, pausedQueues: [], nowMs: 0 }).map((one) => one.words),
    ).toContain(`It could not be created: ${words}`);
    // Its job is run again, from the board or since it stalled.
    const before = standIn.counts();
    await context.queues.forget([supplierJob('q4').data]);
    await context.queues.add([supplierJob('q4')]);
    await expect.poll(() => context.queues.areIdle()).toBe(true);
    expect(standIn.counts()).toEqual(before);
  });
});

async function openApproved() {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { approvals } = place.context;
  const bring = async (name: string, line: string, portfolio = 'q4') => {
    const supplierPath = join(place.dir, `${name}.csv`);
    await writeFile(supplierPath, `name,country_code\n${name},DE\n`);
    const lines = ['name,country_code,company_registration_number,requested_limit', line];
    const { approval } = await place.import(lines, { by: 'alice', supplierPath, portfolio });
    return approval?.id ?? '';
  };
  const answer = async (id: string, is: 'grant' | 'decline') => {
    const found = (await approvals.waiting()).find((one) => one.id === id);
    const said = { id, digest: found?.digest ?? '', by: 'bob', words: 'not this one' };
    expect(await approvals[is](said)).toBe(is === 'grant' ? 'granted' : 'declined');
    await carryOutAllAnswered(place.context);
  };
  return { ...place, bring, answer };
}

// Promise: yes-covers-what-was-seen
test('no supplier is created that nobody approved, also where an earlier one is approved between the look and the claim', async () => {
  const { bring, answer, context, standIn, dir, env } = await openApproved();
  const earlier = await bring('First GmbH', 'A GmbH,DE,HRB 1,5');
  await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  const own = await openContext({ settings: readSettings({ cwd: dir, env }), log: makeSilentLog() });
  onTestFinished(() => own.close());
  const { read } = own.portfolios;
  let granted: Promise<void> | undefined;
  own.portfolios.read = async (name) => {
    const seen = await read(name);
    // A job that is left in the queue looks while the second supplier waits; the yes to the first comes right then.
    if (seen.supplierAwaits && (new Error().stack ?? '').includes('create-supplier')) {
      granted ??= answer(earlier, 'grant');
      await granted;
    }
    return seen;
  };
  await context.queues.add([supplierJob('q4')]);
  const workers = await startWorkers(own, openService(own, standIn.url()));
  onTestFinished(() => workers.stop());
  await expect.poll(() => granted !== undefined, { timeout: 20_000 }).toBe(true);
  await expect.poll(async () => (await context.portfolios.read('q4')).states.done, { timeout: 20_000 }).toBe(1);
  const names = standIn.things('company').map(({ body }) => (body as { name?: string }).name);
  expect(names).toContain('First GmbH');
  expect(names).not.toContain('Second GmbH');
});
