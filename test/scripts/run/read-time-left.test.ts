import { expect, test } from 'vitest';
import { makeTimeLeftReader } from '../../../scripts/run/import-and-wait.ts';
import type { Context } from '../../../src/context.ts';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
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

test('rows that were refused at their last step had their documents, and count for those of the others', async () => {
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
  // Each of the rows that have gone through had a company and two documents.
  const state = await ledger.portfolios.read('q4');
  const calls = { ...state.calls, company: 2 * ROWS, document: 4 * ROWS, limit: 2 * ROWS };
  // 40 rows more with four calls each, at 10 a second.
  expect(await makeTimeLeftReader(context)({ ...state, calls, startedMs: undefined })).toBe('15 to 17 s');
});
