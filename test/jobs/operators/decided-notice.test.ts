import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

test.each([
  ['0.00', 'declined', '1 declined'],
  ['500.00', 'partly_approved', '1 approved'],
  [undefined, 'answered', '1 answered, outcome not known'],
])(
  'of a limit of %s whose status comes to mean approved, the notice says what the outcome says',
  async (total, outcome, words) => {
    const { context } = await openFinishedPortfolio(1);
    const told: string[] = [];
    const report = async ([{ notice }]: [{ notice: { title: string } }]) => told.push(notice.title);
    const { key = '' } = (await context.decisions.find('bl_q41')) ?? {};
    const record = JSON.stringify({ status: 'in_progress', total_limit: total });
    await context.ledger.hset(context.keys.call('limit', key), { record });
    // The decision itself says no amount.
    const said = { total: undefined, available: undefined, decided: undefined };
    const decisions = [{ at: 2, id: 'bl_q41', row: '', status: 'approved', ...said }];
    const file = { name: 'later.csv', decisions, silent: 0, problems: [], lacks: [], unread: [], dialect: {} as never };
    const now = new Date('2100-01-01T00:00:00Z');
    await takeDecisions(file, { ...context, outbox: { report } as never }, { by: 'anna', now });
    expect(await summarize('q4', context)).toMatchObject({ outcomes: { [outcome]: { rows: 1 } } });
    expect(told).toEqual([expect.stringMatching(new RegExp(`: ${words}$`))]);
  },
);
