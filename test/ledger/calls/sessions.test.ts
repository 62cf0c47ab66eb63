import { expect, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import type { Context } from '../../../src/context.ts';
import { expectStates, openSessionPlace, requestsOf, sessionsOf } from '../../support/session-file.ts';
import { buyerLines } from '../../support/workplace.ts';

const OPTIONS = { by: 'anna', signal: new AbortController().signal };

// Promise: shared-limit-shares-sessions
test('rows of two portfolios that share a limit share its session', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  await place.import(buyerLines(1), { portfolio: 'again' });
  expect((await place.settled('again')).states.skipped).toBe(1);
  expect(await place.ask({ portfolio: 'again', line: 2 })).toMatchObject({ asked: 0, made: 1 });
  expect(await sessionsOf(place.context)).toHaveLength(1);
  // The second row has no company of its own, and can still ask for a new session.
  expect(await place.ask({ portfolio: 'again', line: 2 }, true)).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'made']]);
});

// Promise: paused-session-goes-for-other
test('a session that waits for a paused portfolio is made for another portfolio that shares the limit', async () => {
  const place = await openSessionPlace(1);
  await place.import(buyerLines(1), { portfolio: 'again' });
  await place.settled('again');
  await place.context.portfolios.pause('q4', 'by request');
  await place.ask();
  expect(await place.ask({ portfolio: 'again' })).toMatchObject({ waits: 1 });
  expect(await place.context.calls.sessions.underWay('q4')).toEqual([]);
  await expectStates(place, [['made']]);
  expect(requestsOf(place)).toBe(1);
});

// Promise: shared-session-ends-with-cancel
test('cancelling one of two portfolios that share a limit drops its waiting session, and the other can ask again', async () => {
  const place = await openSessionPlace(1);
  await place.import(buyerLines(1), { portfolio: 'again' });
  await place.settled('again');
  await place.workers.stop();
  await place.ask();
  expect(await place.ask({ portfolio: 'again' })).toMatchObject({ waits: 1 });
  await cancelRows({ portfolio: 'q4' }, place.context);
  expect(await place.ask({ portfolio: 'again' })).toMatchObject({ asked: 1 });
  await place.work();
  await expectStates(place, [['made', 'dropped']]);
  expect(requestsOf(place)).toBe(1);
});

// Promise: two-ask-one-session
test('if two people ask for a new session from the same view, only the first gets one', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  expect(await place.ask({ line: 2 }, 1)).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'made']]);
  expect(await place.ask({ line: 2 }, 1)).toMatchObject({ asked: 0, made: 1 });
  expect(await place.ask({ line: 2 }, 2)).toMatchObject({ asked: 1 });
});

// Promise: unknown-session-not-repeated
test.each([
  ['left alone', async () => {}],
  ['forgotten', (context: Context) => forgetPortfolio('q4', OPTIONS, context)],
  ['archived', (context: Context) => archivePortfolio(context, 'q4', OPTIONS)],
])(
  'a session whose sender vanished is held and not sent again if its portfolio is %s meanwhile',
  async (_what, leave) => {
    const place = await openSessionPlace(1);
    await place.import(buyerLines(1), { portfolio: 'again' });
    await place.settled('again');
    await place.workers.stop();
    await place.ask();
    const { calls, keys, ledger } = place.context;
    const [wish] = await calls.sessions.waiting();
    const key = keys.call('session', wish?.key ?? '');
    await ledger.hset(key, { state: 'claimed', owner: 'gone/1', at: '1', sends: '1' });
    await leave(place.context);
    await place.work();
    await expect.poll(() => ledger.hget(key, 'state'), { timeout: 20_000 }).toBe('unknown');
    await expect.poll(() => calls.sessions.waiting(), { timeout: 20_000 }).toEqual([]);
    expect(await place.ask({ portfolio: 'again' })).toMatchObject({ asked: 0, waits: 0, held: 1 });
    expect(requestsOf(place)).toBe(0);
  },
);

test('a held session that its sender later reports as unsent can be asked for again', async () => {
  const place = await openSessionPlace(1);
  await place.workers.stop();
  await place.ask();
  const { calls, keys, ledger, rows } = place.context;
  const [wish] = await calls.sessions.waiting();
  if (!wish) throw new Error('nothing was asked for');
  const [result] = await rows.read([wish.row]);
  await ledger.hset(keys.call('session', wish.key), { state: 'claimed', owner: 'gone/1', at: '1', sends: '1' });
  await place.work();
  await expectStates(place, [['held']]);
  const thing = { kind: 'session', ...wish, revision: '*', buyer: result?.request.buyer ?? '', sent: '{}' } as const;
  await calls.release(thing, 'gone/1', 'unsent');
  await expectStates(place, [['dropped']]);
  expect(await place.ask()).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'dropped']]);
  expect(requestsOf(place)).toBe(1);
});

test('a late answer changes its own session, and not a newer one', async () => {
  const reset = { on: 'session', fault: 'reset', made: true, times: 1 } as const;
  const place = await openSessionPlace(1, { faults: { rules: [reset] } });
  const { calls, keys, ledger } = place.context;
  await place.ask();
  const [wish] = await calls.sessions.waiting();
  await expectStates(place, [['held']]);
  await place.ask({ line: 2 }, true);
  await expectStates(place, [['made', 'held']]);
  const [before] = (await place.sessionsOf())[0] ?? [];
  if (!wish) throw new Error('nothing was asked for');
  const owner = (await ledger.hget(keys.call('session', wish.key), 'owner')) ?? '';
  const late = { id: wish.key, record: { link: 'https://late.example/' }, buyer: '' };
  await calls.settle({ kind: 'session', ...wish }, owner, late);
  await expectStates(place, [['made', 'made']]);
  const [now, earlier] = (await place.sessionsOf())[0] ?? [];
  expect(now).toEqual(before);
  expect(earlier?.sessionLink).toBe('https://late.example/');
});

/** Sessions of q4 as settle leaves them when their outcome is unknown. */
async function openUnknown() {
  const place = await openSessionPlace(1);
  const { calls, ledger, keys, portfolios } = place.context;
  await place.workers.stop();
  await place.ask();
  const wishes = await calls.sessions.waiting();
  for (const { key } of wishes) await ledger.hset(keys.call('session', key), { state: 'unknown', at: '1', sends: '1' });
  return { sessions: calls.sessions, wishes, pause: () => portfolios.pause('q4', 'by request') };
}

test('a failed session of a paused portfolio is listed even if its sender died before it updated the list', async () => {
  const { sessions, pause } = await openUnknown();
  await pause();
  expect((await sessions.failed('q4')).held).toHaveLength(1);
});

test('a session that failed under an earlier version without the list is listed', async () => {
  const { sessions, wishes } = await openUnknown();
  for (const wish of wishes) await sessions.end(wish);
  expect((await sessions.failed('q4')).held).toHaveLength(1);
  expect((await sessions.failed('q4')).held).toHaveLength(1);
});
