import { expect, test } from 'vitest';
import { extentOf } from '../../../scripts/run/import-and-wait.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import type { PaceState } from '../../../src/pace/pace-words.ts';
import { openLedger } from '../../support/ledger.ts';

const PACE: PaceState = {
  ratePerS: 10,
  flowPerS: 0,
  phase: 'start',
  isLimiting: false,
  atCeiling: false,
  blocked: undefined,
};

// Promise: settled-means-known
test('the progress of a run counts as settled neither held rows nor those that wait', async () => {
  const { portfolios } = openLedger();
  const state = await portfolios.read('q4');
  const states: PortfolioState['states'] = { ...state.states, done: 70, refused: 2, held: 19, cancelled: 3 };
  const counts = { ...state, states: { ...states, skipped: 1, awaiting: 4, queued: 1 } };
  const extent = extentOf(0, counts, { service: { paceNow: () => PACE }, left: '' });
  expect(extent).toEqual({
    done: 76,
    total: 100,
    words: '76 of 100 rows settled, 2 refused, 19 held, 4 waiting for approval',
  });
});

test('the time left comes before what calls wait for, since the end of the line is cut off at 80 columns', async () => {
  const { portfolios } = openLedger();
  const state = await portfolios.read('q4');
  const counts = { ...state, states: { ...state.states, done: 51, queued: 247 } };
  const service = { paceNow: () => ({ ...PACE, flowPerS: 9, isLimiting: true }) };
  expect(extentOf(0, counts, { service, left: '35 to 40 s' }).words).toMatch(
    /^51 of 298 rows settled; 35 to 40 s left; /,
  );
});
