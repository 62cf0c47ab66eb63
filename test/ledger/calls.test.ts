import { describe, expect, test } from 'vitest';
import { makeRequest, openLedger } from '../support/ledger.ts';

const row = { portfolio: 'q4', key: 'row-1' };
const otherRow = { portfolio: 'q4', key: 'row-2' };
const limit = { kind: 'limit', key: 'request-1', row } as const;
const made = { id: 'bl_1', record: { status: 'approved' }, buyer: 'buyer-1' };

describe('claim', () => {
  test('lets one owner through and keeps the others out while it lives', async () => {
    const { calls, process } = openLedger();
    await process('a');
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'go', first: 'a/1' });
    expect(await calls.claim({ ...limit, row: otherRow }, { owner: 'b/1', onUnknown: 'resend' })).toEqual({
      is: 'busy',
    });
  });

  test('answers its owner again, whose first reply was lost', async () => {
    const { calls, process, portfolios } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'go', first: 'a/1' });
    expect((await portfolios.read('q4')).calls.limit).toBe(1);
  });

  test('of fifty at once lets exactly one through', async () => {
    const { calls, process } = openLedger();
    await process('a');
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_none, n) => calls.claim(limit, { owner: `a/${n}`, onUnknown: 'hold' })),
    );
    expect(verdicts.filter((verdict) => verdict.is === 'go')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict.is === 'busy')).toHaveLength(49);
  });

  test('holds what a vanished process was sending, and says why', async () => {
    const { calls, process } = openLedger();
    const { vanish } = await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await vanish();
    const verdict = await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' });
    expect(verdict).toMatchObject({ is: 'unknown', heard: 'the process that was sending it vanished' });
  });

  test('sends again what a vanished process was sending where that is the policy, under the first name', async () => {
    const { calls, process } = openLedger();
    const { vanish } = await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'resend' });
    await vanish();
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'resend' })).toEqual({ is: 'go', first: 'a/1' });
  });

  test('lets an owner on that was thought vanished but has sent nothing yet', async () => {
    const { calls } = openLedger();
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' });
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'go', first: 'a/1' });
  });

  test('stops at a paused portfolio, except for what was made already', async () => {
    const { calls, connection, keys } = openLedger();
    await connection.hset(keys.portfolio('q4'), 'paused', 'by request');
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'paused' });
    await calls.settle(limit, 'a/1', made);
    expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'hold' })).toMatchObject({ is: 'made', id: 'bl_1' });
  });
});

describe('settle', () => {
  test('answers every later claim with the id, whoever asks', async () => {
    const { calls, process } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await calls.settle(limit, 'a/1', made);
    const verdict = await calls.claim({ ...limit, row: otherRow }, { owner: 'b/1', onUnknown: 'resend' });
    expect(verdict).toEqual({ is: 'made', id: 'bl_1', row: 'q4/row-1', record: { status: 'approved' } });
  });

  test('believes a sender that was given up on', async () => {
    const { calls } = openLedger();
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
    expect(await calls.settle(limit, 'a/1', made)).toBe('bl_1');
    expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' })).toMatchObject({ is: 'made', id: 'bl_1' });
  });

  test('keeps the first id when the thing was made twice, and shows the other', async () => {
    const { calls, connection, keys, portfolios } = openLedger();
    await calls.settle(limit, 'a/1', made);
    for (let time = 0; time < 2; time += 1)
      expect(await calls.settle(limit, 'b/1', { ...made, id: 'bl_2' })).toBe('bl_1');
    expect(await connection.hget(keys.call('limit', 'request-1'), 'again')).toBe('bl_2');
    expect(await calls.madeTwice()).toEqual([{ kind: 'limit', id: 'bl_1', again: 'bl_2', row: 'q4/row-1' }]);
    expect((await portfolios.read('q4')).madeTwice).toBe(1);
    expect(await connection.lrange(keys.buyerLimits('buyer-1'), 0, -1)).toEqual(['bl_1', 'bl_2']);
  });

  test('may be repeated, and lists a limit with its buyer once', async () => {
    const { calls, connection, keys } = openLedger();
    await calls.settle(limit, 'a/1', made);
    await calls.settle(limit, 'a/1', made);
    expect(await connection.lrange(keys.buyerLimits('buyer-1'), 0, -1)).toEqual(['bl_1']);
  });
});

describe('release and doubt', () => {
  test('a released claim is as if it never was, but for the counts', async () => {
    const { calls, process, portfolios } = openLedger();
    await process('a');
    for (const [owner, why] of [
      ['a/1', 'throttled'],
      ['a/2', 'refused'],
      ['a/3', 'unreachable'],
    ] as const) {
      expect(await calls.claim(limit, { owner, onUnknown: 'hold' })).toMatchObject({ is: 'go' });
      await calls.release(limit, owner, why);
    }
    expect((await portfolios.read('q4')).calls).toMatchObject({ limit: 2, throttled: 1 });
  });

  test('a sender that was given up on may still say that nothing was made', async () => {
    const { calls, process } = openLedger();
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await process('b');
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
    await calls.release(limit, 'a/1', 'refused');
    expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' })).toEqual({ is: 'go', first: 'b/2' });
  });

  test('a doubted call is held or sent again, by policy', async () => {
    const { calls, process } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await calls.doubt(limit, 'a/1', 'socket hang up');
    const held = await calls.claim(limit, { owner: 'a/2', onUnknown: 'hold' });
    expect(held).toEqual({ is: 'unknown', heard: 'socket hang up', sentMs: expect.any(Number) });
    const again = await calls.claim(limit, { owner: 'a/3', onUnknown: 'resend' });
    expect(again).toEqual({ is: 'later', waitMs: expect.any(Number) });
  });

  test('a repetition keeps its name when nothing was made, and gets a new one after a refusal or with another body', async () => {
    const { calls, process } = openLedger();
    await process('a');
    const claim = async (owner: string, sent: string) => {
      const verdict = await calls.claim({ ...limit, sent }, { owner, onUnknown: 'hold' });
      return verdict.is === 'go' ? verdict.first : verdict.is;
    };
    expect(await claim('a/1', 'one')).toBe('a/1');
    await calls.release(limit, 'a/1', 'throttled');
    expect(await claim('a/2', 'one')).toBe('a/1');
    await calls.release(limit, 'a/2', 'unreachable');
    expect(await claim('a/3', 'other')).toBe('a/3');
    await calls.release(limit, 'a/3', 'refused');
    expect(await claim('a/4', 'other')).toBe('a/4');
    await calls.doubt(limit, 'a/4', 'reset');
    expect(await calls.resolve([limit], 'b', undefined)).toBe('resolved');
    expect(await claim('a/5', 'other')).toBe('a/4');
  });

  test('an unknown answer is sent again eight times with growing waits, and then held', async () => {
    const { calls, process, connection, keys } = openLedger();
    await process('a');
    const waits: (number | undefined)[] = [];
    for (let n = 1; n <= 9; n += 1) {
      expect(await calls.claim(limit, { owner: `a/${n}`, onUnknown: 'resend' })).toMatchObject({
        is: 'go',
        first: 'a/1',
      });
      const doubt = await calls.doubt(limit, `a/${n}`, 'reset');
      // A reply that was lost makes the client say it twice.
      expect(await calls.doubt(limit, `a/${n}`, 'reset')).toMatchObject({ sentMs: doubt?.sentMs });
      waits.push(doubt?.againMs);
      await connection.hset(keys.call('limit', limit.key), 'againAt', '0');
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, undefined]);
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
  });

  test('an unknown answer is not sent again after five minutes', async () => {
    const { calls, process, connection, keys } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'resend' });
    await calls.doubt(limit, 'a/1', 'reset');
    await connection.hset(keys.call('limit', limit.key), 'doubtAt', Date.now() - 301_000, 'againAt', '0');
    expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
  });

  test('put-offs of a row count once others of its step have passed in between, twice', async () => {
    const { calls, rows, process } = openLedger();
    await process('a');
    await rows.put(row, 2, 'i', makeRequest());
    const putOff = async (n: number) => {
      await calls.claim(limit, { owner: `a/${n}`, onUnknown: 'hold' });
      return calls.release(limit, `a/${n}`, 'throttled');
    };
    const pass = (n: number) => {
      const other = { ...limit, key: `other-${n}`, row: otherRow };
      return calls.settle(other, `a/x${n}`, { ...made, id: `bl_${n}` });
    };
    expect([await putOff(1), await putOff(2)]).toEqual([0, 0]);
    await pass(1);
    expect([await putOff(3), await putOff(4)]).toEqual([0, 0]);
    await pass(2);
    expect([await putOff(5), await putOff(6)]).toEqual([5, 6]);
  });

  test.each(['release', 'doubt'] as const)('%s by another than the owner changes nothing', async (what) => {
    const { calls, process } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    if (what === 'release') await calls.release(limit, 'b/1', 'refused');
    else await calls.doubt(limit, 'b/1', 'nothing');
    expect(await calls.claim(limit, { owner: 'c/1', onUnknown: 'resend' })).toEqual({ is: 'busy' });
  });
});
