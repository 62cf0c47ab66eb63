import { expect, test } from 'vitest';
import { confirmPlan } from '../../../jobs/plans/carry-out.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';
import { retryRows } from '../../support/operate.ts';

test('rows that only waited to be sent again are counted among those that were given up with all of a portfolio', async () => {
  const { approve, all, refuse, context, states } = await openPortfolio(2);
  await approve();
  for (const row of await all('queued')) await refuse(row);
  await retryRows({ portfolio: 'q4', state: 'refused', by: 'alice' }, context);
  expect(await states()).toMatchObject({ awaiting: 2 });
  const since = await context.plans.now();
  while ((await context.plans.now()) === since);
  const { id, rows, whole } = await makePlan({ portfolio: 'q4', action: 'cancel', filter: {} }, context);
  expect({ rows, whole }).toEqual({ rows: 2, whole: true });
  const confirmed = await confirmPlan(
    { id, by: 'alice' },
    { awaitMs: 0, signal: new AbortController().signal },
    context,
  );
  if (confirmed.is === 'started') await confirmed.ended;
  expect(await states()).toMatchObject({ refused: 2, awaiting: 0 });
  expect(await context.plans.read(id)).toMatchObject({ standing: 'ended', done: 2, underWay: 0 });
});
