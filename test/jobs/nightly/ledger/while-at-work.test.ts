import { expect, test } from 'vitest';
import { foundBy } from '../../../support/found-by.ts';
import { retryRows } from '../../../support/operate.ts';
import { buyerLines, openWorkplace } from '../../../support/workplace.ts';

// Promise: check-at-any-time
test('reconcile finds nothing however often it looks while rows come in, go on, are refused and are sent again', async () => {
  const place = await openWorkplace({
    faults: { latencyMs: [1, 8], rules: [{ on: 'limit', every: 6, times: 20, fault: 'status', status: 422 }] },
    env: { SERVICE_CONCURRENCY: '6', CANARY_REFUSALS: '0' },
  });
  const { context } = place;
  let isOver = false;
  const working = (async () => {
    await place.import(buyerLines(40), { portfolio: 'first' });
    await Promise.all([place.work(), place.work()]);
    await place.import(buyerLines(20), { portfolio: 'q4' });
    await place.import(buyerLines(50), { portfolio: 'q4' });
    await place.settled('first');
    await retryRows({ portfolio: 'first', state: 'refused' }, context);
    await Promise.all([place.settled('first'), place.settled('q4')]);
  })().finally(() => {
    isOver = true;
  });
  const looks: unknown[] = [];
  while (!isOver) looks.push(...(await foundBy(context, { lookAgainMs: 0 })));
  await working;
  expect([...looks, ...(await foundBy(context, { lookAgainMs: 0 }))]).toEqual([]);
  expect(place.standIn.madeTwice()).toEqual([]);
});
