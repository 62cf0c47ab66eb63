import { expect, test, vi } from 'vitest';
import { summarize } from '../../src/ledger/summary.ts';
import { makeRequest, openLedger } from '../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

/** A portfolio whose rows ended so, each asked for with a limit of 1000.10. */
async function finish(ends: { to: 'done' | 'skipped' | 'held'; record?: Record<string, string> }[]) {
  const { portfolios, rows } = openLedger();
  const run = await portfolios.startImport('q4', file);
  for (const [n, { to, record = {} }] of ends.entries()) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    await rows.put(row, n + 2, file.id, makeRequest({ limit: { requested_limit: '1000.10' } }));
    await rows.advance(row, 'queued', to, { record });
  }
  await run.end();
  return { portfolios, rows, report: () => summarize('q4', { account: 'a', portfolios, rows }) };
}

test('counts what was granted below its request, and apart from it what was granted before', async () => {
  const { report } = await finish([
    { to: 'done', record: { status: 'approved', total_limit: '1000.1', available_limit: '900' } },
    { to: 'done', record: { status: 'approved', total_limit: '1000.09', available_limit: '0' } },
    { to: 'done', record: { total_limit: 'later' } },
    { to: 'skipped', record: { status: 'under review', total_limit: '0' } },
    { to: 'skipped', record: { status: 'approved', total_limit: '1000.10', available_limit: '1000.10' } },
  ]);
  expect(await report()).toMatchObject({
    requested: '5000.50',
    granted: '2000.19',
    available: '900.00',
    grantedBelow: 2,
    statuses: { approved: 2 },
    before: { granted: '1000.10', statuses: { 'under review': 1, approved: 1 } },
  });
});

test('a finished portfolio is gone through once, and again only when something of it has moved', async () => {
  const { rows, report } = await finish([{ to: 'done', record: { total_limit: '7' } }, { to: 'held' }]);
  const read = vi.spyOn(rows, 'read');
  expect(await report()).toMatchObject({ granted: '7.00' });
  expect(read).toHaveBeenCalledTimes(2);
  expect(await report()).toMatchObject({ granted: '7.00' });
  expect(read).toHaveBeenCalledTimes(2);
  await rows.advance({ portfolio: 'q4', key: 'row-1' }, 'held', 'done', { record: { total_limit: '5' } });
  expect(await report()).toMatchObject({ granted: '12.00' });
  expect(read).toHaveBeenCalledTimes(3);
});
