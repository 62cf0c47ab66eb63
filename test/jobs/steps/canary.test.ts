import { describe, expect, test } from 'vitest';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const ROWS = 60;
const IN_FLIGHT = 4;

/** All rows share one mistake: every company is refused. */
const ALL_REFUSED = { rules: [{ on: 'company', fault: 'status', status: 403, body: 'scope missing' }] } as const;

async function openPlace(env: Record<string, string> = {}) {
  const place = await openWorkplace({
    faults: { rules: [...ALL_REFUSED.rules] },
    env: { SERVICE_CONCURRENCY: String(IN_FLIGHT), ...env },
  });
  const paused = async () => (await place.context.portfolios.read('q4')).paused;
  return { ...place, paused };
}

describe('ten equal refusals as the first answers', () => {
  // Promise: pauses-after-equal-refusals
  test('pause the portfolio with a reason, also after a resume, until the mistake is corrected', async () => {
    const { work, settled, report, standIn, paused, context, ...place } = await openPlace();
    const why = 'the first 10 answers at the step company were all refused with status 403: scope missing';
    await place.import(buyerLines(ROWS));
    await work();
    await expect.poll(paused).toBe(why);
    // The calls under way at that moment are answered, and nothing else is sent.
    const unsettled = async () => (standIn.counts().requests.company[403] ?? 0) - (await report()).states.refused;
    await expect.poll(unsettled).toBe(0);
    expect(standIn.counts().requests.company[403]).toBeLessThanOrEqual(10 + 2 * IN_FLIGHT);
    await context.portfolios.resume('q4');
    await expect.poll(paused).toBe(why);
    expect((await report()).states.refused).toBeGreaterThanOrEqual(20);
    expect((await report()).states.refused).toBeLessThan(ROWS);
    await standIn.setFaults({ rules: [] });
    await context.portfolios.resume('q4');
    const { states } = await settled();
    expect(states.done + states.refused).toBe(ROWS);
    await retryRows({ portfolio: 'q4', state: 'refused' }, context);
    expect((await settled()).states.done).toBe(ROWS);
    expect(await paused()).toBeUndefined();
  });
});

test.each([
  ['0', undefined],
  ['3', 'the first 3 answers'],
])(
  'CANARY_REFUSALS=%s sets the number of equal refusals that pause a portfolio, and 0 disables the pause',
  async (refusals, why) => {
    const { work, settled, paused, ...place } = await openPlace({ CANARY_REFUSALS: refusals });
    await place.import(buyerLines(30));
    await work();
    if (why) await expect.poll(paused).toContain(why);
    else expect((await settled()).states.refused).toBe(30);
    expect((await paused()) === undefined).toBe(why === undefined);
  },
);

test('no number of equal refusals pauses a portfolio after a first success', async () => {
  const { work, settled, standIn, paused, ...place } = await openPlace();
  await standIn.setFaults({ rules: [] });
  await work();
  await place.import(buyerLines(1));
  expect((await settled()).states.done).toBe(1);
  await standIn.setFaults({ rules: [...ALL_REFUSED.rules] });
  await place.import(buyerLines(30));
  expect((await settled()).states).toMatchObject({ done: 1, refused: 29 });
  expect(await paused()).toBeUndefined();
});

describe('the first answers of a portfolio', () => {
  /** Each word is the answer for another row. `ledger` is a company that the ledger already knew, so no answer. */
  async function pauseAfter(words: readonly (number | 'ok' | 'ledger')[]) {
    const { rows, portfolios } = openLedger();
    for (const [place, word] of words.entries()) {
      const row: RowId = { portfolio: 'q4', key: `row-${place}` };
      await rows.put(row, place + 2, 'i', makeRequest());
      await rows.begin(row, 'company');
      const problem = { step: 'company', message: 'no' } as const;
      if (typeof word === 'number') {
        await rows.advance(row, 'company', 'refused', { problem: { ...problem, status: word }, answered: true });
      } else {
        await rows.advance(row, 'company', 'limit', { company: 'company_1', answered: word === 'ok' });
      }
    }
    return (await portfolios.read('q4')).paused;
  }

  test.each([
    ['pause it: three equal refusals', [422, 422, 422], true],
    ['do not pause it: two equal refusals', [422, 422], false],
    ['do not pause it: another status among them', [422, 400, 422, 422, 422], false],
    ['do not pause it: a success among them', [422, 'ok', 422, 422, 422], false],
    ['pause it: a company known to the ledger is no answer', [422, 'ledger', 422, 422], true],
  ] as const)('%s', async (_name, words, pauses) => {
    expect((await pauseAfter(words)) !== undefined).toBe(pauses);
  });
});
