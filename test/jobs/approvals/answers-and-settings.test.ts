import { expect, onTestFinished, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import type { UnknownPolicy } from '../../../src/config.ts';
import type { Context } from '../../../src/context.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openService } from '../../../src/open-service.ts';
import { openPortfolio, resendHeld } from '../../support/approved-portfolio.ts';

const by = 'olivia';
const HEADER = 'name,country_code,company_registration_number,requested_limit';
const LINE = 'Buyer 1 GmbH,DE,HRB 1,1001.50';

async function openLost(
  on: 'company' | 'limit',
  count = 1,
  settings: Record<string, string> = { APPROVE_ALWAYS: 'on' },
) {
  const place = await openPortfolio(count, settings);
  const { context, standIn } = place;
  await standIn.setFaults({ rules: [{ on, times: count, fault: 'reset', made: true }] });
  const work = async (policy: UnknownPolicy) => {
    const service = openService(context, standIn.url());
    const workers = await startWorkers(context, {
      ...service,
      onUnknown: { company: policy, document: policy, limit: policy },
    });
    onTestFinished(() => workers.stop());
    return workers;
  };
  await place.approve();
  const workers = await work('hold');
  await expect.poll(async () => (await place.states()).held).toBe(count);
  await workers.stop();
  const sayNo = async () => {
    const { id, digest } = await place.waiting();
    expect(await place.say({ id, digest, answer: 'decline', words: 'ask first' })).toMatchObject({ is: 'done' });
    await carryOutAllAnswered(context);
  };
  const one = (portfolio: string, made?: string) => resolveCalls({ portfolio, line: 2, made, by }, context);
  const importQ5 = async (line = LINE) => {
    await place.import([HEADER, line], { portfolio: 'q5' });
    if ((await context.approvals.waiting()).length > 0) await place.approve();
  };
  return { ...place, work, sayNo, one, importQ5 };
}

/** The number of rows of a portfolio that are held or have ended. */
const settledOf = async (portfolio: string, { portfolios }: Pick<Context, 'portfolios'>) => {
  const { states } = await portfolios.read(portfolio);
  return states.held + states.done + states.skipped;
};

// Promise: no-is-seen-elsewhere
test.each(['company', 'limit'] as const)(
  'after a decline no setting sends the %s again for a row of another portfolio',
  async (on) => {
    // The sum of the three rows is above the limit. One of the same requests in another portfolio is below it and
    // passes.
    const place = await openLost(on, 3, { APPROVE_ABOVE: '2500', APPROVE_WINDOW_DAYS: '0' });
    const { context, work, sayNo, importQ5, standIn } = place;
    expect(await resendHeld({ by }, context)).toMatchObject({ waits: { rows: 3 } });
    await sayNo();
    await importQ5();
    expect(await context.approvals.waiting()).toEqual([]);
    await work('resend');
    await expect.poll(() => settledOf('q5', context)).toBe(1);
    expect(standIn.madeTwice()).toEqual([]);
  },
);

test.each(['company', 'limit'] as const)(
  'a %s call that was declined and lost from the ledger is not sent for a row of another portfolio',
  async (on) => {
    const { context, one, sayNo, importQ5, all, work, standIn } = await openLost(on);
    const [row] = (await all('held')) as [RowId];
    const [found] = await context.rows.read([row]);
    await context.ledger.del(context.keys.call(on, on === 'limit' ? row.key : (found?.request.buyer ?? '')));
    expect(await one('q4')).toMatchObject({ waits: { rows: 1 } });
    await sayNo();
    await importQ5();
    await work('hold');
    await expect.poll(() => settledOf('q5', context)).toBe(1);
    expect(standIn.madeTwice()).toEqual([]);
  },
);
