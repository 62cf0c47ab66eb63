import { expect, test } from 'vitest';
import { summarize } from '../../src/ledger/summary.ts';
import { makeRequest, openLedger } from '../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

test('an import without rows is finished when it ends', async () => {
  const { portfolios } = openLedger();
  await portfolios.startImport('q4', file);
  expect(await portfolios.read('q4')).toMatchObject({ importing: true, finishedMs: undefined, file });
  await portfolios.endImport('q4');
  const ended = await portfolios.read('q4');
  expect(ended.importing).toBe(false);
  expect(ended.finishedMs).toBeGreaterThanOrEqual(ended.startedMs ?? Number.POSITIVE_INFINITY);
});

test('is finished when the last row ends, and not before the import does', async () => {
  const { portfolios, rows } = openLedger();
  const row = { portfolio: 'q4', key: 'row-1' };
  await portfolios.startImport('q4', file);
  await rows.put(row, 2, file.id, makeRequest());
  await rows.begin(row, 'company');
  await rows.advance(row, 'company', 'done', {});
  expect((await portfolios.read('q4')).finishedMs).toBeUndefined();
  await portfolios.endImport('q4');
  expect((await portfolios.read('q4')).finishedMs).toBeDefined();
  await rows.put({ portfolio: 'q4', key: 'row-2' }, 3, file.id, makeRequest());
  expect((await portfolios.read('q4')).finishedMs).toBeUndefined();
});

test('forgets the faulty lines of the import before', async () => {
  const { portfolios } = openLedger();
  await portfolios.startImport('q4', file);
  const lines = new Map([
    [2, { kind: 'invalid', message: 'bad' }],
    [3, { kind: 'duplicate', message: 'twice' }],
  ] as const);
  await portfolios.addFaultyLines('q4', lines);
  expect(await portfolios.faultyLines('q4', [2, 4])).toEqual([{ kind: 'invalid', message: 'bad' }, undefined]);
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 1, duplicate: 1 });
  await portfolios.startImport('q4', file);
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 0, duplicate: 0 });
});

test('sums amounts exactly, beyond what floats can', async () => {
  const { portfolios, rows } = openLedger();
  await portfolios.startImport('q4', file);
  for (const [n, amount] of ['0.1', '0.2', '90071992547409.93', '1000'].entries()) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    await rows.put(row, n + 2, file.id, makeRequest({ limit: { requested_limit: amount } }));
    const record = { status: 'approved', total_limit: amount, available_limit: n === 3 ? 'n/a' : amount };
    if (n > 0) await rows.advance(row, 'queued', 'done', { record });
  }
  await portfolios.endImport('q4');
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
