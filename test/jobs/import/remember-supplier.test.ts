import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/carry-out-answers.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { laterSupplierWords } from '../../../src/ledger/portfolios/portfolio.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

const SAID = 'name,country_code,city\nSupplier GmbH,DE,Bremen\n';

/** An import stands still before it names its supplier; meanwhile the same file is imported with the supplier `SAID`, and approved. */
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

test.each([
  ['with another address', 'name,country_code,city\nSupplier GmbH,DE,Berlin\n'],
  ['of another name', 'name,country_code\nOther GmbH,DE\n'],
  ['that exists', 'company_id\ncompany_other\n'],
])(
  'a supplier %s needs a yes of its own, also where an import of the same file was approved meanwhile',
  async (_, other) => {
    const { context, standIn, report } = await openStill(other);
    const { supplier, supplierAwaits, laterSupplier } = await context.portfolios.read('q4');
    expect({ supplier, supplierAwaits }).toMatchObject({
      supplier: { body: { name: 'Supplier GmbH' } },
      supplierAwaits: false,
    });
    expect(laterSupplier).toMatchObject({ awaits: true });
    // The rows that were approved go with the supplier that was approved with them.
    expect((await report()).supplier).toMatch(/^company_/);
    expect(await context.approvals.waiting()).toMatchObject([{ portfolio: 'q4', rows: 0 }]);
    expect(standIn.counts().made.company).toBe(3);
  },
);

test('the same supplier needs no second yes then', async () => {
  const { context, standIn } = await openStill(SAID);
  expect(await context.portfolios.read('q4')).toMatchObject({
    supplierAwaits: false,
    supplier: { id: expect.stringMatching(/^company_/) },
  });
  expect(await context.approvals.waiting()).toEqual([]);
  expect(standIn.counts().made.company).toBe(3);
});

test('a supplier that is approved counts while a later one waits, and where that is declined, until another is approved', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { context, dir, settled } = place;
  const { approvals, portfolios } = context;
  const bring = async (name: string, line: string) => {
    const supplierPath = join(dir, `${name}.csv`);
    await writeFile(supplierPath, `name,country_code\n${name},DE\n`);
    await place.import(['name,country_code,company_registration_number,requested_limit', line], {
      by: 'alice',
      supplierPath,
    });
    const [found] = await approvals.waiting();
    return { id: found?.id ?? '', digest: found?.digest ?? '', by: 'bob', words: 'not this one' };
  };
  expect(await approvals.grant(await bring('First GmbH', 'A GmbH,DE,HRB 1,5'))).toBe('granted');
  const later = await bring('Second GmbH', 'B GmbH,DE,HRB 2,5');
  await carryOutAllAnswered(context);
  await place.work();
  await expect.poll(async () => (await portfolios.read('q4')).states.done, { timeout: 30_000 }).toBe(1);
  const { supplier: first, ...state } = await portfolios.read('q4');
  expect(first).toMatchObject({ body: { name: 'First GmbH' }, id: expect.stringMatching(/^company_/) });
  expect(laterSupplierWords(state)).toContain('another supplier, Second GmbH. It waits for approval.');
  expect(await approvals.decline(later)).toBe('declined');
  await carryOutAllAnswered(context);
  const declined = await portfolios.read('q4');
  expect(declined.supplier).toEqual(first);
  expect(laterSupplierWords(declined)).toContain('Second GmbH. It was not taken: declined by bob: not this one.');
  expect(await approvals.grant(await bring('Third GmbH', 'C GmbH,DE,HRB 3,5'))).toBe('granted');
  await carryOutAllAnswered(context);
  expect((await settled()).states).toMatchObject({ done: 2, cancelled: 1 });
  const third = await portfolios.read('q4');
  expect(third).toMatchObject({ supplier: { body: { name: 'Third GmbH' }, id: expect.stringMatching(/^company_/) } });
  expect(laterSupplierWords(third)).toBe(undefined);
});
