import { expect, test } from 'vitest';
import { openLedger } from '../../support/ledger.ts';

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
