import { expect, test } from 'vitest';
import { type LostCall, makeRecovery } from '../../../src/ledger/calls/recovery.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const row = { portfolio: 'q4', key: 'abcdefghijklmno_' };

const LOST = {
  kind: 'limit',
  keys: [row.key, 'another-name'],
  buyer: 'b',
  row: `q4/${row.key}`,
  asked: undefined,
  amount: '1000',
  line: 7,
  atMs: 1,
} as const;
const MADE: LostCall = {
  ...LOST,
  is: 'made',
  id: 'bl_1',
  record: { status: 'approved', total_limit: '900' },
  company: 'c',
  documents: ['d'],
};
const UNKNOWN: LostCall = { ...LOST, is: 'unknown', reason: 'reset', sentMs: 5 };

test('a rehearsal reports what would be put back, and changes nothing', async () => {
  const ledger = openLedger();
  const { putBack } = makeRecovery(ledger);
  expect(await putBack(MADE, { write: false })).toEqual({ is: 'put' });
  expect(await ledger.connection.exists(ledger.keys.call('limit', row.key))).toBe(0);
});

test('a recovered id is known under all names of its call, and counted once', async () => {
  const ledger = openLedger();
  const { connection, keys, calls } = ledger;
  const { putBack } = makeRecovery(ledger);
  expect(await putBack(MADE, { write: true })).toEqual({ is: 'put' });
  expect(await putBack(MADE, { write: true })).toEqual({ is: 'known' });
  for (const key of MADE.keys) expect(await calls.madeId({ kind: 'limit', key })).toBe('bl_1');
  expect(await connection.hget(keys.account, 'made:limit')).toBe('1');
  expect(await connection.lrange(keys.buyerLimits('b'), '0', '-1')).toEqual(['bl_1']);
  expect(await connection.hgetall(keys.buyerRows('b'))).toEqual({ [LOST.row]: '1000' });
});

test('a row with a recovered limit is done when its file is imported again', async () => {
  const ledger = openLedger();
  await makeRecovery(ledger).putBack(MADE, { write: true });
  expect(await ledger.rows.put(row, 7, '1', makeRequest())).toBe('ended');
  expect((await ledger.rows.read([row]))[0]).toMatchObject({ state: 'done', companyId: 'c', documentIds: ['d'] });
  expect(await ledger.portfolios.read('q4')).toMatchObject({
    statuses: { approved: 1 },
    sums: { requested: '1000.00' },
    answers: [{ granted: '900.00' }],
    short: { below: { approved: 1 } },
  });
});

test("an id that differs from the ledger's is reported, and nothing is overwritten", async () => {
  const ledger = openLedger();
  await ledger.calls.settle({ kind: 'limit', key: 'another-name', row }, 'a/1', { id: 'bl_9', record: {}, buyer: 'b' });
  expect(await makeRecovery(ledger).putBack(MADE, { write: true })).toEqual({ is: 'differs', id: 'bl_9' });
  expect(await ledger.calls.madeId({ kind: 'limit', key: 'another-name' })).toBe('bl_9');
});

test('a recovered call that was in doubt is in doubt again, and is not sent under any policy', async () => {
  const ledger = openLedger();
  await ledger.process('a');
  expect(await makeRecovery(ledger).putBack(UNKNOWN, { write: true })).toEqual({ is: 'put' });
  const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
  expect(await ledger.calls.claim(limit, { owner: 'a/1', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
  expect(await makeRecovery(ledger).putBack(UNKNOWN, { write: true })).toEqual({ is: 'known' });
});

test('a call in doubt is put back only if the file is newer than the row in the ledger', async () => {
  const ledger = openLedger();
  await ledger.rows.put(row, 7, '1', makeRequest());
  expect(await makeRecovery(ledger).putBack(UNKNOWN, { write: true })).toEqual({ is: 'known' });
  expect(await makeRecovery(ledger).putBack({ ...UNKNOWN, atMs: Date.now() + 60_000 }, { write: true })).toEqual({
    is: 'put',
  });
});
