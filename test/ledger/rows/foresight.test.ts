import { expect, test } from 'vitest';
import { makeForesight } from '../../../src/ledger/rows/foresight.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

test('of lines that are not imported it is told what there is of them already, in their order', async () => {
  const ledger = openLedger();
  const { rows, calls, process } = ledger;
  const row = { portfolio: 'q4', key: 'row-1' };
  await process('a');
  await rows.put(row, 2, '1', makeRequest());
  const ask = { owner: 'a/1', onUnknown: 'hold' } as const;
  await calls.claim({ kind: 'limit', key: row.key, row, revision: '0', asked: 'this' }, ask);
  await calls.settle({ kind: 'company', key: 'b', row }, 'a/2', { id: 'company_1', record: {}, buyer: 'b' });
  const foresee = makeForesight(ledger);
  expect(
    await foresee([
      { row: { ...row, key: 'row-2' }, buyer: 'stranger' },
      { row, buyer: 'b' },
    ]),
  ).toEqual([
    { state: '', request: '', limit: '', asked: '', isDeclined: false, company: '' },
    {
      state: 'queued',
      request: JSON.stringify(makeRequest()),
      limit: 'claimed',
      asked: expect.stringMatching(/^[\w-]{16}$/),
      isDeclined: false,
      company: 'made',
    },
  ]);
  expect(await foresee([])).toEqual([]);
});
