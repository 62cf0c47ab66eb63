import { expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { expectStates, openSessionPlace, sessionsOf } from '../../support/session-file.ts';
import { buyerLines } from '../../support/workplace.ts';

const SLOW = { on: 'session', fault: 'slow', bytesPerS: 40 } as const;
const status = (code: number, more = {}) => ({ on: 'session', fault: 'status', status: code, ...more }) as const;
const requestsOf = (place: { standIn: { counts: () => { requests: { session?: Record<string, number> } } } }) =>
  Object.values(place.standIn.counts().requests.session ?? {}).reduce((sum, count) => sum + count, 0);

test('a session is asked for once, on request, and its link and end stand beside the limit', async () => {
  const place = await openSessionPlace(2);
  expect(requestsOf(place)).toBe(0);
  const twice = await Promise.all([place.ask(), place.ask()]);
  expect(twice.reduce((sum, { asked }) => sum + asked, 0)).toBe(2);
  await expectStates(place, [['made'], ['made']]);
  expect(place.standIn.sessions()).toHaveLength(2);
  const [[first] = []] = await place.sessionsOf();
  expect(first?.sessionLink).toMatch(/^https:\/\/hosted\.example\/s\//);
  expect(Date.parse(first?.sessionEnds ?? '')).toBeGreaterThan(Date.now());
  expect(first?.by).toBe('olga');
  expect(await place.ask()).toMatchObject({ asked: 0, made: 2 });
  expect((await place.report()).states.done).toBe(2);
});

test('two processes send a session once', async () => {
  const place = await openSessionPlace(5);
  await place.work();
  await place.ask();
  await expectStates(place, Array(5).fill(['made']));
  expect(place.standIn.sessions()).toHaveLength(5);
});

test('a new one comes on purpose only, and the links of all earlier ones stay known', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  expect(await place.ask({ line: 2 }, true)).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'made']]);
  const links = (await place.sessionsOf())[0]?.map(({ sessionLink }) => sessionLink) ?? [];
  expect(new Set(links).size).toBe(2);
  const [found] = await place.context.rows.inState('q4', 'done', { count: 1 });
  const [result] = await place.context.rows.read(found ? [found.row] : []);
  expect(await place.context.calls.sessions.linksOf([result?.limitId ?? ''])).toEqual([links[0]]);
});

test.each([
  ['a lost connection', { on: 'session', fault: 'reset', made: true }],
  ['a status 500', status(500, { made: true })],
  ['a status 503 that SERVICE_NOT_MADE names for other calls', status(503)],
  ['an answer without the link', { on: 'session', fault: 'answer', drop: ['url'] }],
  ['a link with a control character', { on: 'session', fault: 'answer', set: { url: 'https://a.example/\u0007' } }],
  ['a link that runs a script', { on: 'session', fault: 'answer', set: { url: 'javascript:alert(1)' } }],
] as const)('after %s nobody knows, and nothing is asked again but on purpose', async (_what, fault) => {
  const rule = { times: 1, ...fault } as never;
  const place = await openSessionPlace(1, { faults: { rules: [rule] }, env: { SERVICE_NOT_MADE: '503' } });
  await place.ask();
  await expectStates(place, [['held']]);
  expect(await place.ask()).toMatchObject({ asked: 0, held: 1 });
  expect(requestsOf(place)).toBe(1);
  // The row is not held: its limit was made.
  expect((await place.report()).states).toMatchObject({ done: 1, held: 0 });
  await place.ask({ line: 2 }, true);
  await expectStates(place, [['made', 'held']]);
});

test('an end with control characters is left out, and the link counts', async () => {
  const fault = { on: 'session', fault: 'answer', set: { expires_at: 'soon\r\n\u001b[31m' } } as const;
  const place = await openSessionPlace(1, { faults: { rules: [fault] } });
  await place.ask();
  await expectStates(place, [['made']]);
  expect((await place.sessionsOf())[0]?.[0]?.sessionEnds).toBe('');
});

test('an orderly stop writes down the answers of all sessions in flight', async () => {
  const place = await openSessionPlace(4, { faults: { rules: [SLOW] } });
  await place.ask();
  await expect.poll(() => place.standIn.sessions().length, { timeout: 60_000 }).toBe(4);
  await place.workers.stop();
  expect((await place.sessionsOf()).map(([session]) => session?.state)).toEqual(Array(4).fill('made'));
});

test('nothing is sent after a cancel has returned, and those in flight are awaited', async () => {
  const place = await openSessionPlace(6, { env: { SERVICE_CONCURRENCY: '2' }, faults: { rules: [SLOW] } });
  await place.ask();
  await expect.poll(() => requestsOf(place), { timeout: 60_000 }).toBeGreaterThan(0);
  await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  const sent = requestsOf(place);
  expect(await place.context.calls.sessions.underWay('q4')).toBe(0);
  await expect.poll(() => place.context.calls.sessions.waiting(), { timeout: 60_000 }).toEqual([]);
  expect(requestsOf(place)).toBe(sent);
  const states = (await place.sessionsOf()).map(([session]) => session?.state).sort();
  expect(states).toEqual([...Array(6 - sent).fill('dropped'), ...Array(sent).fill('made')]);
  // Whoever wants one after that asks again.
  expect(await place.ask()).toMatchObject({ asked: 6 - sent });
});

test('a paused portfolio keeps what was asked for, and it goes on when it is resumed', async () => {
  const place = await openSessionPlace(1);
  await place.context.portfolios.pause('q4', 'by request');
  expect(await place.ask()).toMatchObject({ asked: 1 });
  await place.import(
    buyerLines(1).map((line) => line.replace('Buyer', 'Other').replace('HRB', 'HRA')),
    { portfolio: 'other' },
  );
  await place.settled('other');
  // The other portfolio's session passes, so this one was looked at.
  await place.ask({ portfolio: 'other' });
  await expectStates({ sessionsOf: () => place.sessionsOf('other') }, [['made']]);
  await expectStates(place, [['waits']]);
  expect(await place.ask()).toMatchObject({ asked: 0, waits: 1 });
  await place.context.portfolios.resume('q4');
  await expectStates(place, [['made']]);
});

test('with one call in flight at a time, a limit does not wait behind a session', async () => {
  const silent = { on: 'session', fault: 'silence' } as const;
  const place = await openSessionPlace(1, { env: { SERVICE_CONCURRENCY: '1' }, faults: { rules: [silent] } });
  await place.ask();
  await expectStates(place, [['sent']]);
  await place.import(buyerLines(3).slice(0, 1).concat(buyerLines(3).slice(2)), { portfolio: 'next' });
  expect((await place.settled('next')).states.done).toBe(2);
  await expectStates(place, [['sent']]);
  await place.standIn.close();
});

test('no session is sent while a row is due', async () => {
  const place = await openSessionPlace(1, { env: { SERVICE_RATE_PER_S: '2' } });
  await place.import(buyerLines(8), { portfolio: 'next' });
  await place.ask();
  const settled = place.settled('next');
  await expect.poll(() => requestsOf(place), { timeout: 60_000 }).toBe(1);
  expect((await place.context.portfolios.read('next')).finishedMs).toBeDefined();
  await settled;
});

test.each([500, 404, 401])('a status %i for each session neither trips a breaker nor stops limits', async (code) => {
  const place = await openSessionPlace(5, {
    faults: { rules: [status(code, { headers: { 'retry-after': '3600' } })] },
  });
  const tokens = () => Object.values(place.standIn.counts().requests.token).reduce((sum, count) => sum + count, 0);
  const before = tokens();
  await place.ask();
  await expectStates(place, Array(5).fill([code === 500 ? 'held' : 'refused']));
  expect(tokens() - before).toBeLessThanOrEqual(code === 401 ? 1 : 0);
  await place.import(buyerLines(3), { portfolio: 'next' });
  await place.settled('next');
  expect(await place.context.ledger.hgetall(place.context.keys.breakers)).not.toHaveProperty('shut:session');
  expect((await place.report('next')).states).toMatchObject({ refused: 0, held: 0 });
});

test('a 429 slows the pace of all, and the session goes again', async () => {
  const place = await openSessionPlace(1, { faults: { rules: [status(429, { times: 1 })] } });
  await place.ask();
  await expectStates(place, [['made']]);
  expect(requestsOf(place)).toBe(2);
});

test('rows of two portfolios that share a limit share its session', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  await place.import(buyerLines(1), { portfolio: 'again' });
  expect((await place.settled('again')).states.skipped).toBe(1);
  expect(await place.ask({ portfolio: 'again', line: 2 })).toMatchObject({ asked: 0, made: 1 });
  expect(await sessionsOf(place.context)).toHaveLength(1);
  // The row that found its limit made has no company of its own, and asks for a new one all the same.
  expect(await place.ask({ portfolio: 'again', line: 2 }, true)).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'made']]);
});

test('what waits for a paused portfolio goes for another that shares the limit and asks, too', async () => {
  const place = await openSessionPlace(1);
  await place.import(buyerLines(1), { portfolio: 'again' });
  await place.settled('again');
  await place.context.portfolios.pause('q4', 'by request');
  await place.ask();
  expect(await place.ask({ portfolio: 'again' })).toMatchObject({ waits: 1 });
  expect(await place.context.calls.sessions.waitingOf('q4')).toBe(0);
  await expectStates(place, [['made']]);
  expect(requestsOf(place)).toBe(1);
});

test('of two people who see the same session and ask for a new one, the first gets it', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  expect(await place.ask({ line: 2 }, 1)).toMatchObject({ asked: 1 });
  await expectStates(place, [['made', 'made']]);
  expect(await place.ask({ line: 2 }, 1)).toMatchObject({ asked: 0, made: 1 });
  expect(await place.ask({ line: 2 }, 2)).toMatchObject({ asked: 1 });
});

test('a session without a process to send it is held, and not sent by another', async () => {
  const place = await openSessionPlace(1);
  await place.workers.stop();
  await place.ask();
  const [wish] = await place.context.calls.sessions.waiting();
  const key = place.context.keys.call('session', wish?.key ?? '');
  await place.context.ledger.hset(key, { state: 'claimed', owner: 'gone/1', at: '1', sends: '1' });
  await place.work();
  await expectStates(place, [['held']]);
  expect(requestsOf(place)).toBe(0);
});

test('a session that its sender never sent, and gives back after it was held, can be asked for again', async () => {
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

test('an answer that comes late changes its own session, and no newer one', async () => {
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
