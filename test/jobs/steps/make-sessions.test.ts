import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as alone, expect } from 'vitest';
import { askSessions } from '../../../jobs/operators/ask-sessions.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { callCommand } from '../../support/command.ts';
import {
  expectStates,
  openSessionPlace,
  requestsOf,
  SESSION_FILE,
  writeSessionFile,
} from '../../support/session-file.ts';
import { testsBeside } from '../../support/tests-beside.ts';
import { buyerLines, makeKeptLog } from '../../support/workplace.ts';

const test = testsBeside();

const SLOW = { on: 'session', fault: 'slow', bytesPerS: 40 } as const;
/** With these settings, other calls are sent again. */
const RESENDS = {
  SERVICE_NOT_MADE: '503',
  SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key',
  ON_UNKNOWN_COMPANY: 'resend',
  ON_UNKNOWN_LIMIT: 'resend',
};
const status = (code: number, more = {}) => ({ on: 'session', fault: 'status', status: code, ...more }) as const;

// Promise: session-asked-once
test('a requested session is sent once by one of two workers, and its link is stored beside the limit', async () => {
  const place = await openSessionPlace(5);
  await place.work();
  expect(requestsOf(place)).toBe(0);
  const twice = await Promise.all([place.ask(), place.ask()]);
  expect(twice.reduce((sum, { asked }) => sum + asked, 0)).toBe(5);
  await expectStates(place, Array(5).fill(['made']));
  expect(place.standIn.sessions()).toHaveLength(5);
  const [[first] = []] = await place.sessionsOf();
  expect(first?.sessionLink).toMatch(/^https:\/\/hosted\.example\/s\//);
  expect(Date.parse(first?.sessionEnds ?? '')).toBeGreaterThan(Date.now());
  expect(first?.by).toBe('olga');
  expect(await place.ask()).toMatchObject({ asked: 0, made: 5 });
  expect((await place.report()).states.done).toBe(5);
});

// Promise: earlier-links-stay-known
test('a further session needs --resend, and the links of earlier sessions stay known', async () => {
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

// Promise: unknown-session-not-repeated
test.each([
  ['a lost connection', { on: 'session', fault: 'reset', made: true }],
  ['a status 503 that SERVICE_NOT_MADE names for other calls', status(503)],
  ['an answer without the link', { on: 'session', fault: 'answer', drop: ['url'] }],
  ['a link with a control character', { on: 'session', fault: 'answer', set: { url: 'https://a.example/\u0007' } }],
  ['a link that runs a script', { on: 'session', fault: 'answer', set: { url: 'javascript:alert(1)' } }],
] as const)(
  'after %s the outcome is unknown, and the session is sent again only with --resend',
  async (_what, fault) => {
    const rule = { times: 1, ...fault } as never;
    const place = await openSessionPlace(1, { faults: { rules: [rule] }, env: RESENDS });
    await place.ask();
    await expectStates(place, [['held']]);
    expect(await place.ask()).toMatchObject({ asked: 0, held: 1 });
    expect(requestsOf(place)).toBe(1);
    // The row is not held, because its limit was made.
    expect((await place.report()).states).toMatchObject({ done: 1, held: 0 });
    await place.ask({ line: 2 }, true);
    await expectStates(place, [['made', 'held']]);
  },
);

test('an expiry with control characters is left out, and the link is stored', async () => {
  const fault = { on: 'session', fault: 'answer', set: { expires_at: 'soon\r\n\u001b[31m' } } as const;
  const place = await openSessionPlace(1, { faults: { rules: [fault] } });
  await place.ask();
  await expectStates(place, [['made']]);
  expect((await place.sessionsOf())[0]?.[0]?.sessionEnds).toBe('');
});

// Promise: calls-awaited-at-a-stop
test('an orderly stop records the answers of all sessions in flight', async () => {
  const place = await openSessionPlace(4, { faults: { rules: [SLOW] } });
  await place.ask();
  await expect.poll(() => place.standIn.sessions().length, { timeout: 60_000 }).toBe(4);
  await place.workers.stop();
  expect((await place.sessionsOf()).map(([session]) => session?.state)).toEqual(Array(4).fill('made'));
});

// Promises: no-session-after-cancel, pause-keeps-sessions
test('no session is sent after a cancel has returned, and sessions in flight are awaited', async () => {
  const place = await openSessionPlace(6, { env: { SERVICE_CONCURRENCY: '2' }, faults: { rules: [SLOW] } });
  await place.ask();
  await expect.poll(() => requestsOf(place), { timeout: 60_000 }).toBeGreaterThan(0);
  await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  const sent = requestsOf(place);
  expect(await place.context.calls.sessions.underWay('q4')).toEqual([]);
  await expect.poll(() => place.context.calls.sessions.waiting(), { timeout: 60_000 }).toEqual([]);
  expect(requestsOf(place)).toBe(sent);
  const states = (await place.sessionsOf()).map(([session]) => session?.state).sort();
  expect(states).toEqual([...Array(6 - sent).fill('dropped'), ...Array(sent).fill('made')]);
  // After the cancel, sessions can be requested again.
  expect(await place.ask()).toMatchObject({ asked: 6 - sent });
});

// Promise: pause-keeps-sessions
test('a paused portfolio keeps requested sessions, and sends them after it is resumed', async () => {
  const place = await openSessionPlace(1);
  await place.context.portfolios.pause('q4', 'by request');
  expect(await place.ask()).toMatchObject({ asked: 1 });
  await place.import(
    buyerLines(1).map((line) => line.replace('Buyer', 'Other').replace('HRB', 'HRA')),
    { portfolio: 'other' },
  );
  await place.settled('other');
  // The other portfolio's session is sent, so the worker has also examined this one.
  await place.ask({ portfolio: 'other' });
  await expectStates({ sessionsOf: () => place.sessionsOf('other') }, [['made']]);
  await expectStates(place, [['waits']]);
  expect(await place.ask()).toMatchObject({ asked: 0, waits: 1 });
  await place.context.portfolios.resume('q4');
  await expectStates(place, [['made']]);
});

// Promise: session-has-own-connection
test('a limit does not wait behind a session, even with one call in flight at a time', async () => {
  const silent = { on: 'session', fault: 'silence' } as const;
  const place = await openSessionPlace(1, { env: { SERVICE_CONCURRENCY: '1' }, faults: { rules: [silent] } });
  await place.ask();
  await expectStates(place, [['sent']]);
  await place.import(buyerLines(3).slice(0, 1).concat(buyerLines(3).slice(2)), { portfolio: 'next' });
  expect((await place.settled('next')).states.done).toBe(2);
  await expectStates(place, [['sent']]);
  await place.standIn.close();
});

// Promise: limits-before-sessions
test('no session is sent while rows are due', async () => {
  const place = await openSessionPlace(1, { env: { SERVICE_RATE_PER_S: '2' } });
  await place.import(buyerLines(8), { portfolio: 'next' });
  await place.ask();
  const settled = place.settled('next');
  await expect.poll(() => requestsOf(place), { timeout: 60_000 }).toBe(1);
  expect((await place.context.portfolios.read('next')).finishedMs).toBeDefined();
  await settled;
});

// Promises: session-stops-no-calls, session-refused-by-status, session-second-unauthorized
test.each([500, 404, 401])('status %i for each session neither trips a breaker nor stops limits', async (code) => {
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

// Promise: one-session-tries-at-a-time
test('while the service makes no session, only one is tried at a time', async () => {
  const place = await openSessionPlace(12, { env: { SERVICE_CONCURRENCY: '3' }, faults: { rules: [status(500)] } });
  await place.ask();
  const sent = async () =>
    (await place.sessionsOf())
      .flatMap(([session]) => (session?.sentMs === undefined ? [] : { state: session.state, sentMs: session.sentMs }))
      .sort((one, two) => one.sentMs - two.sentMs);
  /** How many were sent until the process rested for five seconds, after three that failed. */
  const beforeRest = async () => {
    const times = (await sent()).map(({ sentMs }) => sentMs);
    return times.findIndex((sentMs, at) => at > 2 && sentMs - (times[at - 1] ?? 0) > 4_000);
  };
  await expect.poll(beforeRest, { timeout: 60_000 }).toBeGreaterThan(2);
  const first = await beforeRest();
  // Three fail, and of the three in flight two may leave while the third is on its way.
  expect(first).toBeLessThanOrEqual(5);
  await expect.poll(async () => (await sent())[first]?.state, { timeout: 60_000 }).toBe('held');
  expect(await sent()).toHaveLength(first + 1);
});

// Promise: session-second-unauthorized
test('a session answered with 401 in two processes is refused', async () => {
  const place = await openSessionPlace(1, { faults: { rules: [status(401)] } });
  const { calls, keys, ledger, portfolios } = place.context;
  await portfolios.pause('q4', 'by request');
  await place.ask();
  const [wish] = await calls.sessions.waiting();
  await ledger.hset(keys.call('session', wish?.key ?? ''), 'unauthorized', '1');
  await portfolios.resume('q4');
  await expectStates(place, [['refused']]);
  expect(requestsOf(place)).toBe(1);
});

// Promise: session-file-read-at-start
test('a worker whose session file needs a missing value leaves sessions to others, and logs it once', async () => {
  const { log, lines } = makeKeptLog();
  const body = { ...SESSION_FILE.body, of: SESSION_FILE.body.buyer_company.replace('buyer', 'supplier') };
  const place = await openSessionPlace(2, { change: { body } });
  await place.workers.stop();
  const older = await place.work(undefined, {}, log);
  const SERVICE_SESSION_FILE = await writeSessionFile();
  await askSessions({ portfolio: 'q4' }, { by: 'olga' }, { ...place.context, settings: { SERVICE_SESSION_FILE } });
  const said = () => lines.filter((line) => JSON.stringify(line).includes('left to other processes'));
  await expect.poll(said, { timeout: 60_000 }).toHaveLength(1);
  await place.work(undefined, { SERVICE_SESSION_FILE });
  await expectStates(place, [['made'], ['made']]);
  expect(said()).toHaveLength(1);
  expect(older.now().state).toBe('works');
});

// Promise: limits-before-sessions
test('a tripped breaker without rows to reset it does not hold back sessions', async () => {
  const place = await openSessionPlace(1);
  await place.standIn.setFaults({ rules: [{ on: 'limit', fault: 'status', status: 500 }] });
  await place.import(buyerLines(4).toSpliced(1, 1), { portfolio: 'other' });
  expect((await place.settled('other')).states.held).toBe(3);
  expect(await place.context.ledger.hgetall(place.context.keys.breakers)).toHaveProperty('shut:limit');
  await place.ask();
  await expectStates(place, [['made']]);
});

test('few of many waiting sessions are read at a time, and those behind a paused portfolio are sent', async () => {
  const place = await openSessionPlace(1);
  const { calls, keys, ledger, portfolios } = place.context;
  await place.import(buyerLines(2).toSpliced(1, 1), { portfolio: 'other' });
  await place.settled('other');
  await portfolios.pause('q4', 'by request');
  const lengths: number[] = [];
  const { waiting } = calls.sessions;
  calls.sessions.waiting = async (part) => {
    const found = await waiting(part);
    lengths.push(found.length);
    return found;
  };
  const wishes = Array.from({ length: 3_000 }, (_none, n) => [n, `q4/${`${n}`.padStart(16, 'a')} ${n}.1`]).flat();
  await ledger.zadd(keys.sessions, ...wishes);
  await place.ask({ portfolio: 'other' });
  await expectStates({ sessionsOf: () => place.sessionsOf('other') }, [['made']]);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
});

// Promises: session-stops-no-calls, session-rests-after-429
test.each([429, 200])("limits are sent however long a session's status %i asks to wait", async (code) => {
  const fault = status(code, { headers: { 'retry-after': '3600' }, body: { url: 'https://hosted.example/s/1' } });
  const place = await openSessionPlace(1, { faults: { rules: [fault] } });
  await place.ask();
  await expect.poll(() => requestsOf(place), { timeout: 60_000 }).toBe(1);
  await expectStates(place, [[code === 429 ? 'waits' : 'made']]);
  await place.import(buyerLines(3), { portfolio: 'next' });
  expect((await place.settled('next')).states).toMatchObject({ refused: 0, held: 0 });
  expect(requestsOf(place)).toBe(1);
});

// Promise: session-refused-after-thirty
test('a session is retried after a 429, and refused after thirty', async () => {
  const place = await openSessionPlace(1, { faults: { rules: [status(429, { times: 1 })] } });
  await place.ask();
  await expectStates(place, [['made']]);
  expect(requestsOf(place)).toBe(2);
  await place.standIn.setFaults({ rules: [status(429)] });
  await place.context.portfolios.pause('q4', 'by request');
  await place.ask({ line: 2 }, true);
  const [wish] = await place.context.calls.sessions.waiting();
  await place.context.ledger.hset(place.context.keys.call('session', wish?.key ?? ''), 'putOffs', '28');
  await place.context.portfolios.resume('q4');
  await expectStates(place, [['refused', 'made']]);
  expect(requestsOf(place)).toBe(4);
  expect((await place.sessionsOf())[0]?.[0]?.sessionHeard).toBe('429 the service put the call off too often');
});

// Promise: waiting-session-of-declined
alone('a waiting session is not sent after its limit was declined', async () => {
  const place = await openSessionPlace(1, { env: { STATUS_MEANINGS: 'no=declined' } });
  await place.workers.stop();
  expect(await place.ask()).toMatchObject({ asked: 1, declined: 0 });
  const [limit] = place.standIn.things('limit');
  const path = join(place.dir, 'later.csv');
  await writeFile(path, `buyer_limit_id,status\n${limit?.id},no\n`);
  expect(await callCommand(['decisions', path], { cwd: place.dir, env: place.env })).toMatchObject({ status: 0 });
  await place.work();
  await place.import([buyerLines(2)[0] ?? '', buyerLines(2)[2] ?? ''], { portfolio: 'q5' });
  await place.settled('q5');
  // Sent behind it: whatever waits for q4 had its turn.
  await callCommand(['sessions', 'q5'], { cwd: place.dir, env: place.env });
  const made = async () => (await place.sessionsOf('q5')).flat().map(({ state }) => state);
  await expect.poll(made, { timeout: 60_000 }).toEqual(['made']);
  expect(requestsOf(place)).toBe(1);
  await expectStates(place, [['dropped']]);
  expect((await place.sessionsOf())[0]?.[0]?.dropped).toBe('the service declined its limit');
  expect(await place.ask({ line: 2 }, true)).toMatchObject({ asked: 1, declined: 0 });
  await expectStates(place, [['made', 'dropped']]);
});
