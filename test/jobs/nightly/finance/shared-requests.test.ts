import { expect, test } from 'vitest';
import { financeItems } from '../../../support/ledger.ts';
import { buyerLines, openWorkplace } from '../../../support/workplace.ts';

/** Imports the same buyer into several portfolios in turn, each with its answer for the limit. */
async function openShared(answers: Record<string, number | undefined>) {
  const place = await openWorkplace();
  await place.work();
  for (const [portfolio, status] of Object.entries(answers)) {
    const rules = status === undefined ? [] : [{ on: 'limit' as const, fault: 'status' as const, status }];
    await place.standIn.setFaults({ rules });
    await place.import(buyerLines(1), { portfolio });
    await place.settled(portfolio);
  }
  const items = await financeItems(place.context);
  return items
    .filter(({ check }) => check === 'held' || check === 'refused')
    .map(({ check, portfolio, detail }) => [check, portfolio, detail]);
}

// Promise: shared-request-counts-once
test.each<[string, Record<string, number | undefined>, unknown[]]>([
  [
    'held call is reported once, where it was held first',
    { late: 500, early: 500 },
    [['held', 'late', 'the same request is also in portfolio early']],
  ],
  [
    'refused request is reported once, where it was refused last',
    { one: 422, two: 422 },
    [['refused', 'two', 'the same request is also in portfolio one']],
  ],
  ['refused request that another portfolio made is not reported', { one: 422, two: undefined }, []],
  ['refused row is reported with the row that is held', { one: 422, two: 500 }, [['held', 'two', undefined]]],
  ['request of one portfolio is reported alone', { one: 422 }, [['refused', 'one', undefined]]],
])('of a request in several portfolios, a %s', async (_words, answers, reported) => {
  expect(await openShared(answers)).toEqual(reported);
});
