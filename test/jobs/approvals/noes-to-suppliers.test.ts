import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit';

/** Two portfolios with different buyers and one supplier wait for approval. */
async function openSuppliers() {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { approvals } = place.context;
  const supplierPath = join(place.dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
  await place.import(buyerLines(2), { portfolio: 'q4', by: 'alice', supplierPath });
  await place.import([HEADER, 'Other GmbH,DE,HRB 9,5'], { portfolio: 'q5', by: 'alice', supplierPath });
  const waitingIn = async (name: string) => {
    const found = (await approvals.waiting()).find(({ portfolio }) => portfolio === name);
    if (!found) throw new Error(`nothing waits in ${name}`);
    return { id: found.id, digest: found.digest };
  };
  const [first, second] = [await waitingIn('q4'), await waitingIn('q5')];
  const decline = () => approvals.decline({ ...first, by: 'bob', words: 'not this one' });
  const grant = (given = second) => approvals.grant({ ...given, by: 'carol' });
  return { ...place, waitingIn, decline, grant };
}

// Promise: no-elsewhere-is-seen
test.each([true, false])(
  'an approval of a supplier has to be looked at again after a decline of it elsewhere (carried out: %s)',
  async (isCarriedOut) => {
    const { context, decline, grant, waitingIn, work, settled } = await openSuppliers();
    await decline();
    if (isCarriedOut) await carryOutAllAnswered(context);
    expect(await grant()).toBe('changed');
    const seen = await waitingIn('q5');
    expect(await context.approvals.read(seen.id)).toMatchObject({ redone: 'by bob: not this one' });
    expect(await grant(seen)).toBe('granted');
    await carryOutAllAnswered(context);
    await work();
    await settled('q5');
    expect((await context.portfolios.read('q5')).supplier?.id).toBeDefined();
  },
);

// Promise: rows-go-without-supplier
test('approved rows are sent without a supplier that was declined elsewhere, and the portfolio shows it', async () => {
  const { context, decline, grant, work, settled } = await openSuppliers();
  await grant();
  await context.portfolios.pause('q5', 'looked at first');
  await carryOutAllAnswered(context);
  await decline();
  await carryOutAllAnswered(context);
  await context.portfolios.resume('q5');
  await work();
  expect((await settled('q5')).states).toMatchObject({ done: 1 });
  expect((await context.portfolios.read('q5')).supplier?.problem).toMatch(
    /^declined in another portfolio, and not created/,
  );
});

test('cancelled rows whose supplier was declined elsewhere are sent without it after a retry', async () => {
  const { context, decline, grant, waitingIn, work, settled } = await openSuppliers();
  await grant();
  await carryOutAllAnswered(context);
  await cancelRows({ portfolio: 'q5', by: 'olivia' }, context);
  const workers = await work();
  await expect.poll(async () => (await context.portfolios.read('q5')).supplier?.problem).toBeDefined();
  await workers.stop();
  await decline();
  await carryOutAllAnswered(context);
  await retryRows({ portfolio: 'q5', state: 'cancelled', by: 'olivia' }, context);
  expect(await grant(await waitingIn('q5'))).toBe('granted');
  await carryOutAllAnswered(context);
  await work();
  expect((await settled('q5')).states).toMatchObject({ done: 1 });
});

// Promise: no-elsewhere-is-seen
test('an approval shows the id of an existing supplier, and an earlier decline of it elsewhere', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { approvals } = place.context;
  const supplierPath = join(place.dir, 'supplier.csv');
  await writeFile(supplierPath, 'company_id\ncompany_1\n');
  await place.import(buyerLines(2), { portfolio: 'q4', by: 'alice', supplierPath });
  const [first] = await approvals.waiting();
  expect(first && whyWords(first)).toContain('The supplier is the company company_1 of the service.');
  const said = { id: first?.id ?? '', digest: first?.digest ?? '', by: 'bob', words: 'not this one' };
  expect(await approvals.decline(said)).toBe('declined');
  await carryOutAllAnswered(place.context);
  expect(await place.context.portfolios.read('q4')).toMatchObject({
    supplier: { problem: 'declined by bob: not this one' },
    supplierAwaits: false,
  });
  await place.import([HEADER, 'Other GmbH,DE,HRB 9,5'], { portfolio: 'q5', by: 'alice', supplierPath });
  expect(await approvals.waiting()).toMatchObject([
    { portfolio: 'q5', supplierId: 'company_1', redone: 'by bob: not this one' },
  ]);
});
