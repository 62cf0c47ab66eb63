import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

test('a portfolio is finished when its last row and its import have ended', async () => {
  const { portfolios, rows } = openLedger();
  const row = { portfolio: 'q4', key: 'row-1' };
  const run = await portfolios.startImport('q4', file);
  await rows.put(row, 2, file.id, makeRequest());
  await rows.begin(row, 'company');
  await rows.advance(row, 'company', 'done', {});
  expect((await portfolios.read('q4')).finishedMs).toBeUndefined();
  await run.end();
  expect((await portfolios.read('q4')).finishedMs).toBeDefined();
  await rows.put({ portfolio: 'q4', key: 'row-2' }, 3, file.id, makeRequest());
  expect((await portfolios.read('q4')).finishedMs).toBeUndefined();
});
