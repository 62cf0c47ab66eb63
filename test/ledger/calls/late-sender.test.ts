import { expect, test } from 'vitest';
import { openLedger } from '../../support/ledger.ts';

const limit = { kind: 'limit', key: 'request-1', row: { portfolio: 'q4', key: 'row-1' } } as const;

/** A person let a call be sent again whose sender `a/1` was taken for vanished. */
async function letGo() {
  const ledger = openLedger();
  const { calls } = ledger;
  const { vanish } = await ledger.process('a');
  await ledger.process('b');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await vanish();
  expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
  expect(await calls.resolve([limit], 'buyer-1', undefined)).toBe('resolved');
  const claim = (owner: string, onUnknown: 'hold' | 'resend' = 'hold') => calls.claim(limit, { owner, onUnknown });
  return { ...ledger, claim };
}

test.each(['throttled', 'refused', 'unsent'] as const)(
  'a late send is in doubt also if another owner has the call by then, whose send is %s',
  async (why) => {
    const { calls, claim } = await letGo();
    expect(await claim('b/2')).toMatchObject({ is: 'go' });
    await calls.doubt(limit, 'a/1', 'status 500');
    expect(await calls.release(limit, 'b/2', why)).toMatchObject({ is: 'in doubt', reason: 'status 500' });
    expect(await claim('b/3')).toMatchObject({ is: 'unknown', reason: 'status 500' });
  },
);

test('a late send is in doubt no more once the other owner is answered that the thing was made', async () => {
  const { calls, claim, stories } = await letGo();
  await claim('b/2');
  await calls.doubt(limit, 'a/1', 'status 500');
  await calls.settle(limit, 'b/2', { id: 'bl_1', record: { status: 'approved' }, buyer: 'buyer-1' });
  expect(await claim('b/3')).toMatchObject({ is: 'made', id: 'bl_1' });
  expect(await stories.calls([limit])).toMatchObject([{ state: 'made' }]);
});

test('a late send that was answered with the id of another request is repeated by no setting', async () => {
  const { calls, claim } = await letGo();
  await calls.doubt(limit, 'a/1', 'the answer is to another request', { othersId: 'bl_9' });
  expect(await claim('b/2', 'resend')).toMatchObject({ is: 'unknown' });
});

test('a late send is repeated by no setting, also if the reply to its doubt was lost', async () => {
  const { calls, claim } = await letGo();
  const late = { sentMs: expect.any(Number), againMs: undefined };
  expect(await calls.doubt(limit, 'a/1', 'status 500', { onUnknown: 'resend' })).toEqual(late);
  expect(await calls.doubt(limit, 'a/1', 'status 500', { onUnknown: 'resend' })).toEqual(late);
  expect(await claim('b/2', 'resend')).toMatchObject({ is: 'unknown', reason: 'status 500' });
  expect(await calls.resolve([limit], 'buyer-1', undefined)).toBe('resolved');
  expect(await claim('b/3', 'resend')).toMatchObject({ is: 'go' });
});

test('a process that disowns a claim puts no call in doubt that is free', async () => {
  const { calls, claim } = await letGo();
  await calls.disown({ kind: 'limit', owner: 'a/1', key: limit.key });
  expect(await claim('b/2')).toMatchObject({ is: 'go' });
});

test('a send whose claim Redis has lost is in doubt once its sender says that it got no answer', async () => {
  const { calls, claim, connection, keys } = await letGo();
  expect(await claim('b/2')).toMatchObject({ is: 'go' });
  await connection.del(keys.call('limit', limit.key));
  await calls.doubt(limit, 'b/2', 'status 500');
  expect(await claim('b/3')).toMatchObject({ is: 'unknown', reason: 'status 500' });
});
