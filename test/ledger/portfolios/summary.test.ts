import { expect, test } from 'vitest';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

test('a summary adds amounts up exactly, beyond what floats can', async () => {
  const { portfolios, rows, statusMeanings } = openLedger();
  const run = await portfolios.startImport('q4', file);
  for (const [n, amount] of ['0.1', '0.2', '90071992547409.93', '1000'].entries()) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    await rows.put(row, n + 2, file.id, makeRequest({ limit: { requested_limit: amount } }));
    const record = { status: 'approved', total_limit: amount, available_limit: n === 3 ? 'n/a' : amount };
    if (n > 0) await rows.advance(row, 'queued', 'done', { record });
  }
  await run.end();
  expect(await summarize('q4', { account: 'a', portfolios, statusMeanings })).toMatchObject({
    lines: 4,
    rows: 4,
    requested: '90071992548410.13',
    inAllRows: '90071992548410.23',
    granted: '90071992548410.13',
    available: '90071992547410.13',
    statuses: { approved: 3 },
    finished: null,
  });
});

test('there is no summary of a portfolio that nobody imported', async () => {
  const { portfolios, statusMeanings } = openLedger();
  expect(await summarize('q4', { account: 'a', portfolios, statusMeanings })).toBeUndefined();
});
