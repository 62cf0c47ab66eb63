import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { supplierJob } from '../../../jobs/rows/step-jobs.ts';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { waitsFor } from '../../../src/console/pages/portfolio/waits-for.ts';
import { type Summary, summarize } from '../../../src/ledger/portfolios/summary.ts';
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
      'The service refused the supplier with status 422: supplier is not known here. To ask for it again, import a file into it with --supplier: npx limitline run FILE --portfolio "q4" --supplier FILE';
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
