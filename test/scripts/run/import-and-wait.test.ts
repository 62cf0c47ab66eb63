import { expect, test } from 'vitest';
import { extentOf, makeTimeLeftReader } from '../../../scripts/run/import-and-wait.ts';
import type { Context } from '../../../src/context.ts';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import type { PaceState } from '../../../src/pace/pace-words.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const ROWS = 40;
const PER_S = 10;
const pace: PaceState = {
  phase: 'hold',
  ratePerS: PER_S,
  flowPerS: PER_S,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};

test('the estimated time counts the documents of rows that were refused at the last step', async () => {
  const ledger = openLedger();
  const context = {
    portfolios: ledger.portfolios,
    ledger: ledger.connection,
    keys: ledger.keys,
    queues: { paused: async () => [] },
    readPace: async () => pace,
    paceSamples: { read: async () => [] },
  } as unknown as Context;
  for (let n = 0; n < 3 * ROWS; n += 1) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    const request = makeRequest();
    await ledger.rows.put(row, n + 2, 'i', request);
    if (n < ROWS) await ledger.rows.advance(row, 'queued', 'done');
    if (n < ROWS || n >= 2 * ROWS) continue;
    const problem = { step: 'limit' as const, message: 'The service refused the limit', status: 422 };
    await ledger.rows.advance(row, 'queued', 'refused', { problem, cause: causeOf(problem, 'refused', request) });
  }
  // Each finished row had a company and two documents.
  const state = await ledger.portfolios.read('q4');
  const calls = { ...state.calls, company: 2 * ROWS, document: 4 * ROWS, limit: 2 * ROWS };
  // 40 more rows with four calls each, at 10 a second.
  expect(await makeTimeLeftReader(context)({ ...state, calls, startedMs: undefined })).toBe('15 to 17 s');
});

const PACE: PaceState = {
  ratePerS: 10,
  flowPerS: 0,
  phase: 'start',
  isLimiting: false,
  atCeiling: false,
  blocked: undefined,
};

// Promise: settled-means-known
test('the progress of a run does not count held and waiting rows as settled', async () => {
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

test('the time left comes before the reason for waiting, because the line is cut at 80 columns', async () => {
  const { portfolios } = openLedger();
  const state = await portfolios.read('q4');
  const counts = { ...state, states: { ...state.states, done: 51, queued: 247 } };
  const service = { paceNow: () => ({ ...PACE, flowPerS: 9, isLimiting: true }) };
  expect(extentOf(0, counts, { service, left: '35 to 40 s' }).words).toMatch(
    /^51 of 298 rows settled; 35 to 40 s left; /,
  );
});
