import { describe, expect, test } from 'vitest';
import { askedOf } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger, putRow, ROW } from '../../support/ledger.ts';

const row = { portfolio: 'q4', key: 'row-1' };
const otherRow = { portfolio: 'q4', key: 'row-2' };
const limit = { kind: 'limit', key: 'request-1', row } as const;
const made = { id: 'bl_1', record: { status: 'approved' }, buyer: 'buyer-1' };

type Ledger = ReturnType<typeof openLedger> & { vanish: () => Promise<void> };

const hold = (owner: string) => ({ owner, onUnknown: 'hold' }) as const;
const resend = (owner: string) => ({ owner, onUnknown: 'resend' }) as const;

/** What may have happened to the limit's call before the claim. */
const free = async () => {};
const claimed = ({ calls }: Ledger) => calls.claim(limit, hold('a/1'));
const settled = ({ calls }: Ledger) => calls.settle(limit, 'a/1', made);
const pause = ({ connection, keys }: Ledger) => connection.hset(keys.portfolio('q4'), 'paused', 'by request');
const vanished = async (ledger: Ledger) => {
  await claimed(ledger);
  await ledger.vanish();
};
/** Another process found its sender vanished, and was answered that the outcome is unknown. */
const givenUp = async (ledger: Ledger) => {
  await vanished(ledger);
  expect(await ledger.calls.claim(limit, hold('b/1'))).toMatchObject({ is: 'unknown' });
};

describe('claim', () => {
  const go = { is: 'go', first: 'a/1' };
  test.each<[string, (ledger: Ledger) => Promise<unknown>, { owner: string; onUnknown: 'hold' | 'resend' }, object]>([
    ['lets one owner through', free, hold('a/1'), go],
    ['keeps other owners out while the first one lives', claimed, resend('b/1'), { is: 'busy' }],
    ['answers the same owner again if its first reply was lost', claimed, hold('a/1'), go],
    [
      'holds a call whose sender vanished, and gives the reason',
      vanished,
      hold('b/1'),
      { is: 'unknown', reason: 'the process that was sending it vanished', sentMs: expect.any(Number) },
    ],
    ['sends the call of a vanished sender again under "resend", with its first name', vanished, resend('b/1'), go],
    ['lets an owner continue that was thought vanished but has sent nothing yet', givenUp, hold('a/1'), go],
    ['is refused in a paused portfolio', pause, hold('a/1'), { is: 'paused' }],
    [
      'returns the id of a made call to any owner, even in a paused portfolio',
      (ledger) => Promise.all([settled(ledger), pause(ledger)]),
      resend('b/1'),
      { is: 'made', id: 'bl_1', row: 'q4/row-1', record: { status: 'approved' } },
    ],
    [
      'holds a call whose vanished sender sent it after a person let it be sent again',
      async (ledger) => {
        await givenUp(ledger);
        expect(await ledger.calls.resolve([limit], 'buyer-1', undefined)).toBe('resolved');
        expect(await ledger.calls.doubt(limit, 'a/1', 'status 500')).toMatchObject({ sentMs: expect.any(Number) });
      },
      hold('b/2'),
      { is: 'unknown', reason: 'status 500', sentMs: expect.any(Number) },
    ],
    [
      'starts anew once a sender that was given up reports that nothing was made',
      async (ledger) => {
        await givenUp(ledger);
        await ledger.calls.release(limit, 'a/1', 'refused');
      },
      hold('b/2'),
      { is: 'go', first: 'b/2' },
    ],
    [
      'can be neither released nor doubted by another owner',
      async (ledger) => {
        await claimed(ledger);
        await ledger.calls.release(limit, 'b/1', 'refused');
        await ledger.calls.doubt(limit, 'b/1', 'nothing');
      },
      resend('c/1'),
      { is: 'busy' },
    ],
  ])('%s', async (_what, before, ask, answer) => {
    const ledger = openLedger();
    const { vanish } = await ledger.process('a');
    await before({ ...ledger, vanish });
    const thing = ask.owner.startsWith('a/') ? limit : { ...limit, row: otherRow };
    expect(await ledger.calls.claim(thing, ask)).toEqual(answer);
  });

  // Promise: claim-of-one-attempt
  test('lets exactly one of fifty concurrent owners through', async () => {
    const { calls, process } = openLedger();
    await process('a');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_none, n) => calls.claim(limit, { owner: `a/${n}`, onUnknown: 'hold' })),
    );
    expect(answers.filter((answer) => answer.is === 'go')).toHaveLength(1);
    expect(answers.filter((answer) => answer.is === 'busy')).toHaveLength(49);
  });
});

describe('settle', () => {
  test('accepts the late answer of a sender that was given up', async () => {
    const { calls } = openLedger();
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
    expect(await calls.settle(limit, 'a/1', made)).toMatchObject({ id: 'bl_1', late: true });
    // If the reply was lost, the sender asks once more, and rows that are held for it still wait for that answer.
    expect(await calls.settle(limit, 'a/1', made)).toMatchObject({ id: 'bl_1', late: true });
    expect(await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' })).toMatchObject({ is: 'made', id: 'bl_1' });
  });

  test('keeps the first id when the thing was made twice, and lists each second id once', async () => {
    const { calls, connection, keys, portfolios } = openLedger();
    for (let time = 0; time < 2; time += 1) await calls.settle(limit, 'a/1', made);
    for (let time = 0; time < 2; time += 1)
      expect(await calls.settle(limit, 'b/1', { ...made, id: 'bl_2' })).toMatchObject({ id: 'bl_1' });
    expect(await connection.hget(keys.call('limit', 'request-1'), 'again')).toBe('bl_2');
    expect(await calls.madeTwice()).toEqual([{ kind: 'limit', id: 'bl_1', again: 'bl_2', row: 'q4/row-1' }]);
    expect((await portfolios.read('q4')).madeTwice).toBe(1);
    expect(await connection.lrange(keys.buyerLimits('buyer-1'), 0, -1)).toEqual(['bl_1', 'bl_2']);
  });

  test('notes on a limit which other row got the same id by a late answer', async () => {
    const { calls, connection, keys } = openLedger();
    const other = { kind: 'limit', key: 'request-2', row: otherRow } as const;
    await calls.settle(limit, 'a/1', made);
    await calls.settle(other, 'b/1', { ...made, id: 'bl_2' });
    await calls.settle(other, 'c/1', made);
    expect(await connection.hget(keys.call('limit', 'request-1'), 'shared')).toBe('q4/row-2');
  });
});

describe('release and doubt', () => {
  test('a released claim leaves no trace except in the counts', async () => {
    const { calls, process, portfolios } = openLedger();
    await process('a');
    // A claim that is repeated because its reply was lost counts once.
    await calls.claim(limit, hold('a/1'));
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

  // Promise: refused-stays-without-a-rule
  test('a refused row is not sent again by a second attempt that waited for its turn', async () => {
    const { calls, rows, process } = await putRow();
    await process('a');
    const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
    // The job's lock was lost, so two attempts have the row.
    for (const _attempt of [1, 2]) expect(await rows.begin(ROW, 'company')).toMatchObject({ state: 'company' });
    expect(await calls.claim(company, { owner: 'a/1', onUnknown: 'resend' })).toMatchObject({ is: 'go' });
    await calls.release(company, 'a/1', 'refused');
    await rows.advance(ROW, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
    expect(await calls.claim(company, { owner: 'a/2', onUnknown: 'resend' })).toEqual({ is: 'changed' });
    await rows.requeue(ROW, 'refused');
    await rows.begin(ROW, 'company');
    expect(await calls.claim(company, { owner: 'a/3', onUnknown: 'resend' })).toMatchObject({ is: 'go' });
  });

  // Promise: lost-answer-says-nothing
  test('a call in doubt is held or sent again, by policy', async () => {
    const { calls, process } = openLedger();
    await process('a');
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
    await calls.doubt(limit, 'a/1', 'socket hang up');
    const held = await calls.claim(limit, { owner: 'a/2', onUnknown: 'hold' });
    expect(held).toEqual({ is: 'unknown', reason: 'socket hang up', sentMs: expect.any(Number) });
    const again = await calls.claim(limit, { owner: 'a/3', onUnknown: 'resend' });
    expect(again).toEqual({ is: 'later', waitMs: expect.any(Number) });
  });

  // Promise: new-key-after-refusal
  test('a repeated call keeps its name if nothing was made, and gets a new one after a refusal or with another body', async () => {
    const { calls, process } = openLedger();
    await process('a');
    const claim = async (owner: string, sent: string) => {
      const answer = await calls.claim({ ...limit, sent }, { owner, onUnknown: 'hold' });
      return answer.is === 'go' ? answer.first : answer.is;
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

  test('put-offs of a row count only if other rows of its step passed since the last one, so none counts in an outage', async () => {
    const { calls, rows, process, connection, keys } = openLedger();
    await process('a');
    await rows.put(row, 2, 'i', makeRequest());
    const putOff = async (n: number) => {
      await calls.claim(limit, { owner: `a/${n}`, onUnknown: 'hold' });
      const released = await calls.release(limit, `a/${n}`, 'throttled');
      return released.is === 'back' ? released.putOffs : released.is;
    };
    const pass = (n: number) => {
      const other = { ...limit, key: `other-${n}`, row: otherRow };
      return calls.settle(other, `a/x${n}`, { ...made, id: `bl_${n}` });
    };
    expect([await putOff(1), await putOff(2)]).toEqual([0, 0]);
    await pass(1);
    expect([await putOff(3), await putOff(4)]).toEqual([0, 0]);
    await pass(2);
    expect([await putOff(5), await putOff(6)]).toEqual([2, 0]);
    for (let n = 7; n < 50; n += 1) expect(await putOff(n)).toBe(0);
    await pass(3);
    expect(await putOff(50)).toBe(3);
    // A row alone counts once in twenty seconds, until it is set aside.
    for (let n = 51; n < 77; n += 1) {
      await connection.hincrby(keys.row('q4', 'row-1'), 'countedAt', -20);
      expect(await putOff(n)).toBe(0);
    }
    await connection.hincrby(keys.row('q4', 'row-1'), 'countedAt', -20);
    expect(await putOff(77)).toBe(30);
  });
});

describe('an earlier send that is in doubt', () => {
  /** A limit that was sent and not answered, and sent again by a/2, which has not been answered yet. */
  async function sentTwice() {
    const ledger = openLedger();
    const { calls, process, connection, keys, rows } = ledger;
    await process('a');
    await rows.put(row, 2, 'i', makeRequest());
    const thing = { ...limit, key: row.key, sent: 'one', asked: askedOf(makeRequest()) };
    const callKey = keys.call('limit', row.key);
    await calls.claim(thing, { owner: 'a/1', onUnknown: 'resend' });
    await calls.doubt(thing, 'a/1', 'reset');
    await connection.hset(callKey, 'againAt', '0');
    expect(await calls.claim(thing, { owner: 'a/2', onUnknown: 'resend' })).toEqual({ is: 'go', first: 'a/1' });
    return { ...ledger, thing };
  }

  // Promise: lost-answer-says-nothing
  test.each(['throttled', 'unreachable', 'refused'] as const)(
    'stays in doubt when its repetition is %s',
    async (why) => {
      const { calls, rows, thing } = await sentTwice();
      expect(await calls.release(thing, 'a/2', why)).toMatchObject({ is: 'in doubt', reason: 'reset' });
      expect(await calls.claim(thing, { owner: 'a/3', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
      expect(await calls.claim(thing, { owner: 'a/4', onUnknown: 'resend' })).toEqual({ is: 'go', first: 'a/1' });
      const mended = makeRequest({ limit: { requested_limit: '2000' } });
      expect(await rows.put(row, 2, 'i2', mended)).toBe('changed');
    },
  );

  test('is not ended by a call with another body', async () => {
    const { calls, thing } = await sentTwice();
    await calls.release(thing, 'a/2', 'throttled');
    const other = await calls.claim({ ...thing, sent: 'two' }, { owner: 'a/3', onUnknown: 'resend' });
    expect(other).toMatchObject({ is: 'unknown', reason: 'reset' });
  });

  test('counts each vanished sender like a lost answer, and is unknown after nine sends', async () => {
    const { calls } = openLedger();
    const answers: string[] = [];
    // None of these processes lives, so each finds the previous one vanished.
    for (let n = 1; n <= 11; n += 1)
      answers.push((await calls.claim(limit, { owner: `gone-${n}/1`, onUnknown: 'resend' })).is);
    expect(answers).toEqual([...Array(9).fill('go'), 'unknown', 'unknown']);
  });
});

test('a claim for another buyer or amount under the key of a made call is answered "other"', async () => {
  const { calls, process } = openLedger();
  await process('a');
  await calls.claim({ ...limit, asked: 'Alpha, 1000' }, { owner: 'a/1', onUnknown: 'hold' });
  await calls.settle(limit, 'a/1', made);
  const ask = (asked: string) => calls.claim({ ...limit, asked }, { owner: 'a/2', onUnknown: 'hold' });
  expect(await ask('Alpha, 1000')).toMatchObject({ is: 'made' });
  expect(await ask('Gamma, 1000')).toEqual({ is: 'other', id: 'bl_1' });
});

test.each([
  ['given up', 'cancelled'],
  ['paused', 'paused'],
  ['mended', 'changed'],
] as const)('an owner that repeats a claim is answered that its row was %s meanwhile', async (how, is) => {
  const { calls, rows, portfolios, process } = openLedger();
  await process('a');
  await rows.put(row, 2, 'i', makeRequest());
  await rows.begin(row, 'company');
  const company = { kind: 'company', key: 'b', row, revision: '0' } as const;
  expect(await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
  if (how === 'given up') await portfolios.cancel('q4');
  if (how === 'paused') await portfolios.pause('q4', 'by request');
  if (how === 'mended') await rows.put(row, 2, 'i2', makeRequest({ name: 'Mended' }));
  expect(await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is });
  expect((await portfolios.read('q4')).calls.company).toBe(0);
  // The claim was released, and is free for others.
  const other = { ...company, row: { portfolio: 'q5', key: 'x' }, revision: undefined };
  expect(await calls.claim(other, { owner: 'a/2', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
});
