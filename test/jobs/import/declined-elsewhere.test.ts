import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import { openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openPortfolio>>;

/** The portfolio `q4` waits for approval because its sum is above the limit. A single line of it is below. */
const openAbove = (count: number) => openPortfolio(count, { APPROVE_ABOVE: '1500' });

async function decline({ waiting, context }: Place): Promise<void> {
  const { id, digest } = await waiting();
  expect(await context.approvals.decline({ id, digest, by: 'bob', words: 'not this quarter' })).toBe('declined');
}

const statesOf = async ({ context }: Place, name = 'q5') => (await context.portfolios.read(name)).states;

const LINE = buyerLines(1);

// Promises: declined-needs-another-approval, approval-shows-earlier-no
test('a declined line waits for approval in another portfolio, even if its sum is below the limit', async () => {
  const place = await openAbove(2);
  await decline(place);
  await carryOutAllAnswered(place.context);
  const { approval } = await place.import(LINE, { portfolio: 'q5', by: 'alice' });
  expect(approval).toMatchObject({ standing: 'waiting', rows: 1 });
  expect(whyWords(await place.waiting())).toBe(
    'Some of what was asked for here was declined before, by bob: not this quarter.',
  );
  await place.work();
  await place.approve();
  expect((await place.settled('q5')).states).toMatchObject({ done: 1 });
  expect(place.standIn.counts().made.limit).toBe(1);
});

// Promises: yes-covers-what-was-seen, yes-to-old-does-nothing
test('an approval cannot be granted unseen after one of its lines was declined elsewhere', async () => {
  const place = await openAbove(2);
  const { context } = place;
  const own = await place.waiting();
  await place.import(buyerLines(2), { portfolio: 'q5', by: 'carol' });
  const seen = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === 'q5');
  if (!seen) throw new Error('q5 waits for nobody');
  await context.approvals.decline({ id: own.id, digest: own.digest, by: 'bob', words: 'not this quarter' });
  await carryOutAllAnswered(context);
  const yes = { id: seen.id, by: 'dora' };
  expect(await context.approvals.grant({ ...yes, digest: seen.digest })).toBe('changed');
  const now = await place.waiting();
  expect(whyWords(now)).toContain('declined before, by bob: not this quarter.');
  expect(await context.approvals.grant({ ...yes, digest: now.digest })).toBe('granted');
});

// Promise: declined-needs-another-approval
test.each([true, false])(
  'a line that passed in another portfolio is not sent after it was declined (carried out: %s)',
  async (isCarriedOut) => {
    const place = await openAbove(2);
    const { context } = place;
    await context.portfolios.pause('q5', 'first of all');
    await place.import(LINE, { portfolio: 'q5', by: 'alice' });
    expect(await statesOf(place)).toMatchObject({ queued: 1 });
    await decline(place);
    if (isCarriedOut) await carryOutAllAnswered(context);
    await context.portfolios.resume('q5');
    await place.work();
    expect((await place.settled('q5')).states).toMatchObject({ cancelled: 1 });
    const [found] = await context.rows.inState('q5', 'cancelled', { count: 1 });
    const [row] = await context.rows.read(found ? [found.row] : []);
    expect(row?.problem?.message).toBe('declined by bob: not this quarter');
    expect(place.standIn.counts().made).toEqual({ company: 0, document: 0, limit: 0 });
    const retried = await retryRows({ portfolio: 'q5', state: 'cancelled', by: 'carol' }, context);
    expect(retried).toMatchObject({ rows: 0, waits: { rows: 1 } });
  },
);

// Promise: declined-needs-another-approval
test.each([true, false])(
  'a line that is declined while another import of it runs is not sent (carried out: %s)',
  async (isCarriedOut) => {
    const place = await openAbove(2);
    const { context } = place;
    const { approvals } = context;
    const close = vi.spyOn(approvals, 'close').mockImplementationOnce(async (of, policy) => {
      await decline(place);
      if (isCarriedOut) await carryOutAllAnswered(context);
      close.mockRestore();
      return approvals.close(of, policy);
    });
    await place.import(LINE, { portfolio: 'q5', by: 'alice' });
    await place.work();
    expect((await place.settled('q5')).states).toMatchObject({ cancelled: 1 });
    expect(place.standIn.counts().made.limit).toBe(0);
  },
);

// Promise: declined-needs-another-approval
test('an earlier decline that is carried out late does not take back a later approval', async () => {
  const place = await openAbove(2);
  const { context } = place;
  await decline(place);
  await place.import(LINE, { portfolio: 'q5', by: 'alice' });
  const [asked] = (await context.approvals.waiting()).filter(({ portfolio }) => portfolio === 'q5');
  if (!asked) throw new Error('Nothing waits in q5.');
  const { id, digest } = asked;
  expect(await context.approvals.grant({ id, digest, by: 'bob', words: 'after all' })).toBe('granted');
  await context.approvals.freeSome({ portfolio: 'q5', id }, await context.approvals.rowsOf({ portfolio: 'q5', id }));
  await carryOutAllAnswered(context);
  await place.work();
  expect((await place.settled('q5')).states).toMatchObject({ done: 1 });
  expect(await statesOf(place, 'q4')).toMatchObject({ cancelled: 2 });
});

test('a decline blocks the claim of the same request elsewhere before it is carried out', async () => {
  const place = await openAbove(2);
  const { context } = place;
  await place.import(LINE, { portfolio: 'q5', by: 'alice' });
  const [found] = await context.rows.inState('q5', 'queued', { count: 1 });
  if (!found) throw new Error('no row of q5 passed');
  await decline(place);
  expect(await place.claim(found.row)).toEqual({ is: 'awaiting' });
});

// Promise: declined-buyer-warned
test('import warns of a decline of the same buyer in any portfolio, until a later approval', async () => {
  const place = await openAbove(2);
  await decline(place);
  await carryOutAllAnswered(place.context);
  const [header = '', line = ''] = LINE;
  const ask = async (portfolio: string, lines: string[]) => {
    const { warnings } = await place.import(lines, { portfolio, by: 'alice' });
    return warnings.map(({ message }) => message).find((message) => message.includes('declined'));
  };
  const said = await ask('q5', [`${header},request_reference`, `${line},NEW`]);
  const today = new Date().toISOString().slice(0, 10);
  expect(said).toBe(
    `A request of this buyer, line 2 of q4.csv #1 in portfolio q4 (1,001.5, cancelled), was declined on ${today} by bob: not this quarter.`,
  );
  // The same request waits for another person. Their approval settles the decline.
  await place.import(LINE, { portfolio: 'q6', by: 'alice' });
  await place.approve();
  expect(await ask('q7', [`${header},request_reference`, `${line},OTHER`])).toBeUndefined();
});

test('a declined supplier waits for approval in another portfolio', async () => {
  const place = await openAbove(0);
  const supplierPath = join(place.dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier GmbH,DE\n');
  await place.import(buyerLines(2), { portfolio: 'q4', by: 'alice', supplierPath });
  await decline(place);
  await carryOutAllAnswered(place.context);
  const other = [LINE[0] ?? '', 'Other GmbH,DE,HRB 9,5'];
  expect((await place.import(other, { portfolio: 'q5', by: 'alice', supplierPath })).approval).toMatchObject({
    rows: 1,
  });
});
