import { expect, test } from 'vitest';
import { freshPrefix, openLedger } from '../../support/ledger.ts';

const row = { portfolio: 'q4', key: 'row-1' };
const limit = { kind: 'limit', key: 'request-1', row } as const;

const resent = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000];
const repeated = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 64_000, 64_000];
// Promises: repeated-soon-with-a-header, resend-eight-times
test.each([
  ['resend', 'eight times', resent],
  ['repeat', 'thirteen times, at first at once', repeated],
] as const)(
  'under "%s" a call with an unknown outcome is sent again %s, with growing waits, and then held',
  async (onUnknown, _times, expected) => {
    const { calls, process, connection, keys } = openLedger();
    await process('a');
    const waits: (number | undefined)[] = [];
    for (let n = 1; n <= expected.length + 1; n += 1) {
      expect(await calls.claim(limit, { owner: `a/${n}`, onUnknown })).toMatchObject({ is: 'go', first: 'a/1' });
      const doubt = await calls.doubt(limit, `a/${n}`, 'reset', { onUnknown });
      // After a lost reply the client repeats the command.
      expect(await calls.doubt(limit, `a/${n}`, 'reset', { onUnknown })).toMatchObject({ sentMs: doubt?.sentMs });
      waits.push(doubt?.againMs);
      await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
    }
    expect(waits).toEqual([...expected, undefined]);
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown })).toMatchObject({ is: 'unknown' });
  },
);

// Promise: resend-eight-times
test('a call with an unknown outcome is not sent again after five minutes', async () => {
  const { calls, process, connection, keys } = openLedger();
  await process('a');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'resend' });
  await calls.doubt(limit, 'a/1', 'reset');
  await connection.hset(keys.call('limit', limit.key), 'doubtAt', Date.now() - 301_000, 'againAt', '0');
  expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
});

/** A fleet's ledger, as a worker with this header sees it. */
const ledgerWith = (prefix: string, header: string | undefined, limitsAre: 'hold' | 'resend' = 'hold') => {
  const withoutIt = { company: 'hold', document: 'hold', limit: limitsAre, session: 'hold' } as const;
  return openLedger({ prefix, ...(header === undefined ? {} : { idempotency: { header, withoutIt } }) });
};

// Promise: repetition-needs-the-header
test.each([
  ['left with the same header', 'idempotency-key', 'idempotency-key', { is: 'go', first: 'a/1' }],
  ['left without a header', undefined, 'idempotency-key', { is: 'unknown' }],
  ['left with another header', 'request-id', 'idempotency-key', { is: 'unknown' }],
] as const)(
  'a call with an unknown outcome that %s is repeated only with its key',
  async (_left, first, later, expected) => {
    const prefix = freshPrefix();
    const sender = ledgerWith(prefix, first);
    await sender.process('a');
    await sender.calls.claim(limit, { owner: 'a/1', onUnknown: 'repeat' });
    await sender.calls.doubt(limit, 'a/1', 'reset', { onUnknown: 'repeat' });
    await sender.connection.hset(sender.keys.call('limit', limit.key), 'againAt', '0');
    const { calls } = ledgerWith(prefix, later);
    expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'repeat' })).toMatchObject(expected);
  },
);

// Promise: repetition-needs-the-header
test('a call that left without the header is sent again under ON_UNKNOWN_LIMIT=resend, is counted as such, and then has a key of its own', async () => {
  const prefix = freshPrefix();
  const { calls, process, connection, keys } = ledgerWith(prefix, 'idempotency-key', 'resend');
  const bare = ledgerWith(prefix, undefined);
  await process('a');
  await bare.calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await bare.calls.doubt(limit, 'a/1', 'reset', { onUnknown: 'hold' });
  const repeat = async (owner: string) => {
    await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
    const claimed = await calls.claim(limit, { owner, onUnknown: 'repeat' });
    await calls.doubt(limit, owner, 'reset', { onUnknown: 'repeat' });
    return claimed;
  };
  expect(await repeat('a/2')).toMatchObject({ is: 'go', first: 'a/2' });
  expect(await repeat('a/3')).toMatchObject({ is: 'go', first: 'a/2' });
  expect(await connection.hget(keys.portfolio(row.portfolio), 'resent:limit')).toBe('1');
});

// Promise: repetition-needs-the-header
test('a call that a worker without the header sent again is in doubt for workers with it', async () => {
  const prefix = freshPrefix();
  const { calls, process, connection, keys } = ledgerWith(prefix, 'idempotency-key');
  const bare = ledgerWith(prefix, undefined);
  await process('a');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'repeat' });
  await calls.doubt(limit, 'a/1', 'reset', { onUnknown: 'repeat' });
  await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
  expect(await bare.calls.claim(limit, { owner: 'b/1', onUnknown: 'resend' })).toMatchObject({
    is: 'go',
    first: 'b/1',
  });
  await bare.calls.doubt(limit, 'b/1', 'reset', { onUnknown: 'resend' });
  await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
  expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'repeat' })).toMatchObject({ is: 'unknown' });
});

// Promise: repetition-needs-the-header
test.each([
  ['throttled', 'before'],
  ['unauthorized', 'before'],
  ['unsent', 'before'],
  ['throttled', 'later'],
  ['lost', 'later'],
] as const)(
  'a late send without the header is not repeated by the key of a later send, which was %s, and ended %s',
  async (why, order) => {
    const prefix = freshPrefix();
    const { calls, process, connection, keys } = ledgerWith(prefix, 'idempotency-key');
    const bare = ledgerWith(prefix, undefined);
    const end = () =>
      why === 'lost' ? calls.doubt(limit, 'b/2', 'reset', { onUnknown: 'repeat' }) : calls.release(limit, 'b/2', why);
    await process('b');
    await bare.calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'repeat' })).toMatchObject({ is: 'unknown' });
    expect(await calls.resolve([limit], 'buyer-1', undefined)).toBe('resolved');
    expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'repeat' })).toMatchObject({ is: 'go', first: 'b/2' });
    if (order === 'before') await end();
    await bare.calls.doubt(limit, 'a/1', 'reset', { onUnknown: 'hold' });
    if (order === 'later') await end();
    await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
    expect(await calls.claim(limit, { owner: 'b/3', onUnknown: 'repeat' })).toMatchObject({ is: 'unknown' });
  },
);

// Promise: repetition-needs-the-header
test('a repetition that made nothing leaves no header at a call whose lost send had none', async () => {
  const prefix = freshPrefix();
  const { calls, process, connection, keys } = ledgerWith(prefix, 'idempotency-key', 'resend');
  const bare = ledgerWith(prefix, undefined);
  const careful = ledgerWith(prefix, 'idempotency-key');
  await process('a');
  await bare.calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await bare.calls.doubt(limit, 'a/1', 'reset', { onUnknown: 'hold' });
  await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
  expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'repeat' })).toMatchObject({ is: 'go', first: 'a/2' });
  await calls.release(limit, 'a/2', 'throttled');
  expect(await careful.calls.claim(limit, { owner: 'c/1', onUnknown: 'repeat' })).toMatchObject({ is: 'unknown' });
});
