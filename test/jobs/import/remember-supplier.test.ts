import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/carry-out-answers.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
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
    expect(await context.portfolios.read('q4')).toMatchObject({ supplierAwaits: true });
    expect((await report()).supplier).toBe(null);
    expect(await context.approvals.waiting()).toMatchObject([{ portfolio: 'q4', rows: 0 }]);
    expect(standIn.counts().made.company).toBe(2);
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
