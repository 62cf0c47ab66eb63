import { describe, expect, test } from 'vitest';
import type { Sent } from '../../../src/call-kind.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

/** Another process is sending the call: the caller looks again soon. */
const BUSY = { is: 'later', again: 150, reason: 'another process is sending it' };

const company = { kind: 'company', key: 'buyer-1', row: { portfolio: 'q4', key: 'row-1' }, buyer: 'buyer-1' } as const;

test('a company is sent once for all callers that want it', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  let sends = 0;
  const send = async (): Promise<Sent> => {
    sends += 1;
    return { is: 'made', id: 'company_1', record: {} };
  };
  expect(await once(company, { onUnknown: 'hold', send })).toEqual({
    is: 'made',
    id: 'company_1',
    record: {},
    wasUnknown: false,
  });
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({
    is: 'made',
    id: 'company_1',
    row: 'q4/row-1',
  });
  expect(sends).toBe(1);
});

test.each<[Sent, object]>([
  [
    { is: 'refused', status: 422, body: 'no' },
    { is: 'refused', status: 422, body: 'no', wasUnknown: false },
  ],
  [
    { is: 'throttled', status: 429, reason: 'status 429' },
    { is: 'later', again: 'new permit', reason: 'status 429', putOffs: 0, wasUnknown: false },
  ],
  [
    { is: 'unreachable', reason: 'ECONNREFUSED' },
    { is: 'later', again: 'new permit', reason: 'ECONNREFUSED', putOffs: 0, wasUnknown: false },
  ],
])('a call may be sent again after %o', async (answer, ending) => {
  const { process } = openLedger();
  const { once } = await process('a');
  expect(await once(company, { onUnknown: 'hold', send: async () => answer })).toEqual(ending);
  const again = await once(company, {
    onUnknown: 'hold',
    send: async () => ({ is: 'made', id: 'company_1', record: {} }),
  });
  expect(again).toMatchObject({ is: 'made' });
});

// Promise: lost-answer-says-nothing
test('a call is never sent again after an unknown outcome under "hold"', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  await once(company, { onUnknown: 'hold', send: async () => ({ is: 'unknown', reason: 'reset' }) });
  const send = () => Promise.reject(new Error('this must not be sent'));
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({ is: 'unknown', reason: 'reset' });
});

test('a claim is released when nothing could be sent', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  await expect(once(company, { onUnknown: 'hold', send: () => Promise.reject(new Error('no token')) })).rejects.toThrow(
    'no token',
  );
  const send = async (): Promise<Sent> => ({ is: 'made', id: 'company_1', record: {} });
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({ is: 'made' });
});

test('a repeated call keeps the name of its first send', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  const names: string[] = [];
  for (const sent of [
    { is: 'throttled', status: 429, reason: 'status 429' },
    { is: 'unknown', reason: 'reset' },
  ] as const) {
    await once(company, {
      onUnknown: 'resend',
      send: async (first) => {
        names.push(first);
        return sent;
      },
    });
  }
  expect(names).toEqual([names[0], names[0]]);
});

test('under "resend" a call with an unknown outcome is sent again only after a wait', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  const send = async (): Promise<Sent> => ({ is: 'unknown', reason: 'reset' });
  expect(await once(company, { onUnknown: 'resend', send })).toEqual({ is: 'later', reason: 'reset', again: 1_000 });
  const early = await once(company, { onUnknown: 'resend', send: () => Promise.reject(new Error('too early')) });
  expect(early).toMatchObject({ is: 'later', again: expect.any(Number) });
});

test('a row that is put off thirty times while other rows pass is set aside', async () => {
  const { process, calls, rows } = openLedger();
  const { once } = await process('a');
  await rows.put(company.row, 2, 'i', makeRequest());
  const send = async (): Promise<Sent> => ({ is: 'throttled', status: 429, reason: 'status 429' });
  for (let n = 0; n < 30; n += 1) {
    expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({ is: 'later', reason: 'status 429' });
    const other = { ...company, key: `buyer-${n + 2}`, row: { portfolio: 'q4', key: `row-${n + 2}` } };
    await calls.settle(other, `a/x${n}`, { id: `company_${n}`, record: {}, buyer: other.key });
  }
  expect(await once(company, { onUnknown: 'hold', send })).toEqual({ is: 'put off', reason: 'status 429', times: 30 });
});

test('a late "throttled" from a sender that was thought vanished frees the call, and reports the doubt', async () => {
  const { calls, process } = openLedger();
  const { once, vanish } = await process('a');
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const sent = once(company, { onUnknown: 'hold', send: () => promise });
  await expect.poll(() => calls.claim(company, { owner: 'a/9', onUnknown: 'hold' })).toMatchObject({ is: 'busy' });
  await vanish();
  expect(await calls.claim(company, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
  resolve({ is: 'throttled', status: 429, reason: 'status 429' });
  expect(await sent).toEqual({ is: 'later', again: 'new permit', reason: 'status 429', putOffs: 0, wasUnknown: true });
  expect(await calls.isUnknown(company)).toBe(false);
});

describe('a claim that its process has already ended, and Redis shows again', () => {
  const limit = { ...company, kind: 'limit', key: 'request-1' } as const;
  /** What a replica shows that became primary before the end of the claim was copied to it. */
  async function takeBack({ connection, keys }: ReturnType<typeof openLedger>, owner: string) {
    const key = keys.call('limit', 'request-1');
    await connection.del(key);
    await connection.hset(key, { state: 'claimed', owner, row: 'q4/row-1', at: 1, first: owner });
  }

  test('is settled again with the id of the answer', async () => {
    const ledger = openLedger();
    const [a, b] = [await ledger.process('a'), await ledger.process('b')];
    const send = async (): Promise<Sent> => ({ is: 'made', id: 'bl_1', record: { status: 'approved' } });
    await a.once(limit, { onUnknown: 'hold', send });
    await takeBack(ledger, 'a/1');
    const again = () => b.once(limit, { onUnknown: 'hold', send: () => Promise.reject(new Error('sent twice')) });
    expect(await again()).toEqual(BUSY);
    await expect.poll(again).toMatchObject({ is: 'made', id: 'bl_1' });
  });

  test('is released if its answer made nothing, and is never sent by two processes', async () => {
    const ledger = openLedger();
    const [a, b] = [await ledger.process('a'), await ledger.process('b')];
    const send = async (): Promise<Sent> => ({ is: 'throttled', status: 429, reason: 'status 429' });
    await a.once(limit, { onUnknown: 'hold', send });
    await takeBack(ledger, 'a/1');
    const made = async (): Promise<Sent> => ({ is: 'made', id: 'bl_1', record: {} });
    await expect.poll(() => b.once(limit, { onUnknown: 'hold', send: made })).toMatchObject({ is: 'made' });
  });

  test('is unknown if its process has no record of it', async () => {
    const ledger = openLedger();
    await ledger.process('a');
    const b = await ledger.process('b');
    await takeBack(ledger, 'a/77');
    const again = () => b.once(limit, { onUnknown: 'hold', send: () => Promise.reject(new Error('sent twice')) });
    await expect.poll(again).toMatchObject({ is: 'unknown', reason: expect.stringContaining('Redis lost') });
  });

  test('is left alone while its process is still sending', async () => {
    const ledger = openLedger();
    const [a, b] = [await ledger.process('a'), await ledger.process('b')];
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const first = a.once(limit, { onUnknown: 'hold', send: () => promise });
    const key = ledger.keys.call('limit', 'request-1');
    await expect.poll(() => ledger.connection.hset(key, 'at', 1)).toBe(0);
    const again = () => b.once(limit, { onUnknown: 'hold', send: () => Promise.reject(new Error('sent twice')) });
    expect(await again()).toEqual(BUSY);
    await expect.poll(() => ledger.connection.exists(ledger.keys.disputes('a'))).toBe(0);
    expect(await again()).toEqual(BUSY);
    resolve({ is: 'made', id: 'bl_1', record: {} });
    expect(await first).toMatchObject({ is: 'made' });
  });
});

// Promise: claim-of-one-attempt
test('a refusal does not end a call that another process has claimed since', async () => {
  const { process, calls } = openLedger();
  const [ann, bob] = [await process('ann'), await process('bob')];
  const claim = await ann.atMostOnce.claim(company, 'resend');
  if (claim.is !== 'go') throw new Error('it was not claimed');
  await ann.vanish();
  expect((await bob.atMostOnce.claim(company, 'resend')).is).toBe('go');
  expect(await claim.settle({ is: 'refused', status: 422, body: 'no' })).toMatchObject({ is: 'later' });
  expect(await calls.isUnknown(company)).toBe(false);
});
