import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

test('rows of a state are listed in the order of their lines, with their steps', async () => {
  const { rows } = openLedger();
  for (const line of [4, 2, 3]) {
    const request = line === 3 ? makeRequest({ companyId: 'company_1' }) : makeRequest();
    await rows.put({ portfolio: 'q4', key: `row-${line}` }, line, 'import-1', request);
  }
  const found = await rows.inState('q4', 'queued', { count: 10 });
  expect(found.map(({ row: { key }, step }) => [key, step])).toEqual([
    ['row-2', 'company'],
    ['row-3', 'limit'],
    ['row-4', 'company'],
  ]);
});

test('rows are listed from a line on, each in one state', async () => {
  const { rows } = openLedger();
  for (const line of [2, 3, 4])
    await rows.put({ portfolio: 'q4', key: `row-${line}` }, line, 'import-1', makeRequest());
  const row = { portfolio: 'q4', key: 'row-4' };
  await rows.begin(row, 'company');
  expect(await rows.behind('q4', 'queued', { line: 3, count: 10 })).toEqual([
    { row: { portfolio: 'q4', key: 'row-3' }, line: 3, step: 'company' },
  ]);
  const keysIn = async (state: 'queued' | 'company') =>
    (await rows.inState('q4', state, { count: 10 })).map((one) => one.row.key);
  expect([await keysIn('queued'), await keysIn('company')]).toEqual([['row-2', 'row-3'], ['row-4']]);
});

test('rows are read in the order asked for, with undefined for an unknown row', async () => {
  const { rows } = openLedger();
  const row = { portfolio: 'q4', key: 'row-1' };
  await rows.put(row, 2, 'import-1', makeRequest());
  await rows.advance(row, 'queued', 'held', { problem: { step: 'company', message: 'lost' }, documents: ['a', 'b'] });
  expect(await rows.read([{ portfolio: 'q4', key: 'none' }, row])).toEqual([
    undefined,
    expect.objectContaining({
      state: 'held',
      line: 2,
      importId: 'import-1',
      replaced: false,
      request: makeRequest(),
      documentIds: ['a', 'b'],
      problem: { step: 'company', message: 'lost' },
    }),
  ]);
});
