import { expect, test } from 'vitest';
import { summarize } from '../../src/ledger/summary.ts';
import { makeRequest, openLedger } from '../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

test('an import without rows is finished when it ends', async () => {
  const { portfolios } = openLedger();
  const run = await portfolios.startImport('q4', file);
  expect(await portfolios.read('q4')).toMatchObject({ importing: true, finishedMs: undefined, file });
  await run.end();
  const ended = await portfolios.read('q4');
  expect(ended.importing).toBe(false);
  expect(ended.finishedMs).toBeGreaterThanOrEqual(ended.startedMs ?? Number.POSITIVE_INFINITY);
});

test('is finished when the last row ends, and not before the import does', async () => {
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

test('sums amounts exactly, beyond what floats can', async () => {
  const { portfolios, rows } = openLedger();
  const run = await portfolios.startImport('q4', file);
  for (const [n, amount] of ['0.1', '0.2', '90071992547409.93', '1000'].entries()) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    await rows.put(row, n + 2, file.id, makeRequest({ limit: { requested_limit: amount } }));
    const record = { status: 'approved', total_limit: amount, available_limit: n === 3 ? 'n/a' : amount };
    if (n > 0) await rows.advance(row, 'queued', 'done', { record });
  }
  await run.end();
  expect(await summarize('q4', { account: 'a', portfolios, rows })).toMatchObject({
    lines: 4,
    rows: 4,
    requested: '90071992548410.23',
    granted: '90071992548410.13',
    available: '90071992547410.13',
    statuses: { approved: 3 },
    finished: null,
  });
});

test('has nothing to say of a portfolio that nobody imported', async () => {
  const { portfolios, rows } = openLedger();
  expect(await summarize('q4', { account: 'a', portfolios, rows })).toBeUndefined();
});
