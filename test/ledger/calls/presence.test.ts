import { expect, test } from 'vitest';
import { countLiving } from '../../../src/ledger/calls/fleet.ts';
import { openLedger } from '../../support/ledger.ts';

const limit = { kind: 'limit', key: 'request-1', row: { portfolio: 'q4', key: 'row-1' } } as const;

test('heartbeats from the future, by a clock that went back, make no process vanish and keep none alive for ever', async () => {
  const { calls, connection, keys, process } = openLedger();
  const { vanish } = await process('a');
  await process('b');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  // As by the clock before it went back an hour: both had just given a sign.
  for (const name of ['a', 'b']) await connection.zincrby(keys.workers, 3_600_000, name);
  await expect.poll(async () => Number(await connection.zscore(keys.workers, 'a'))).toBeLessThan(Date.now() + 10_000);
  expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toEqual({ is: 'busy' });
  await vanish();
  expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
});

test('processes that gave a sign lately are counted as living, and no others', async () => {
  const { connection, keys, process } = openLedger();
  expect(await countLiving({ connection, keys })).toBe(0);
  await process('a');
  const { vanish } = await process('b');
  await connection.zadd(keys.workers, Date.now() - 10_000, 'c');
  expect(await countLiving({ connection, keys })).toBe(2);
  await vanish();
  expect(await countLiving({ connection, keys })).toBe(1);
});
