import { describe, expect, test, vi } from 'vitest';
import { makeLook, startWatching, type WatchDeps } from '../../../jobs/notices/watch.ts';
import { makeSilentLog } from '../../../src/log.ts';
import type { Notice } from '../../../src/notices/notice.ts';
import { readCallsHeld } from '../../../src/pace/calls-held.ts';
import { makePace } from '../../../src/pace/pace.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { answered, makeWatcher, ROOM, settle } from '../../support/watcher.ts';
import { buyerLines, makeKeptLog, openWorkplace } from '../../support/workplace.ts';

const titles = (told: readonly Notice[]) => told.map(({ title }) => title);

describe('watching', () => {
  // Promise: notices-have-figures
  test("sends notices of a portfolio's approval and end, with figures and links", async () => {
    const place = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: '"HRB 7"', fault: 'status', status: 400, body: 'no' }] },
      env: { APPROVE_ABOVE: '1000', NOTIFY_FULL_ABOVE: '100' },
    });
    const watcher = makeWatcher(place.context, ROOM);
    await watcher.look();
    await place.import(buyerLines(10), { by: 'alice' });
    expect(await watcher.look()).toBe(1);
    const [asked] = await place.context.approvals.waiting();
    const { id = '', digest = '' } = asked ?? {};
    await place.context.approvals.grant({ id, digest, by: 'bob' });
    await place.work();
    await place.settled();
    expect(await watcher.look()).toBe(1);
    expect(await watcher.look()).toBe(0);
    expect(await watcher.told()).toEqual([
      {
        kind: 'awaiting',
        title: 'Portfolio q4 awaits approval: 10 rows, 10,060.00 to be requested',
        facts: [
          { term: 'What', what: 'the rows of an import' },
          { term: 'Rows', what: '10' },
          { term: 'To be requested', what: '10,060.00' },
        ],
        path: `/approvals/${id}`,
        atMs: asked?.askedMs,
      },
      {
        kind: 'settled',
        title: 'Portfolio q4 has settled: 9 approved, 1 rejected by the service',
        facts: [
          { term: 'Requested', what: '9,052.50' },
          { term: 'Granted', what: '9,052.50' },
          { term: 'Sum that the service rejected', what: '1,007.50' },
          { term: 'Failed', what: '1 row: refused by the service at the step limit (status 400)' },
        ],
        path: '/portfolios/q4',
        atMs: (await place.context.portfolios.read('q4')).finishedMs,
      },
    ]);
  });

  // Promise: first-check-only-records
  test('records earlier states without a notice, and sends notices of later changes', async () => {
    const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on', NOTIFY_FULL_ABOVE: '100' } });
    await place.import(buyerLines(3), { by: 'alice' });
    await answered(place, 'failing', { done: 0, refused: 50 });
    const words = '5 rows were sent first; resume to send the rest';
    await place.context.ledger.hset(place.context.keys.portfolio('failing'), { paused: words, firstOver: words });
    const watcher = makeWatcher(place.context, ROOM);
    expect([await watcher.look(), await watcher.look()]).toEqual([0, 0]);
    await place.context.portfolios.resume('failing');
    await watcher.look();
    await place.context.ledger.hset(place.context.keys.portfolio('failing'), { paused: words, firstOver: words });
    await watcher.look();
    await settle(place, 'failing');
    await place.import(buyerLines(4), { by: 'alice', portfolio: 'q5' });
    await watcher.look();
    expect(titles(await watcher.told()).sort()).toEqual([
      'Portfolio failing has settled: 50 rejected by the service',
      'Portfolio failing paused itself: the rows that were to go first have ended',
      'Portfolio q5 awaits approval: 4 rows, 4,012.00 to be requested',
    ]);
  });

  test('names the currency of the file that waits, though another file of the portfolio names none', async () => {
    const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on', NOTIFY_FULL_ABOVE: '100' } });
    const watcher = makeWatcher(place.context, ROOM);
    await watcher.look();
    await place.import(['name,requested_limit', 'Acme GmbH,1000'], { by: 'alice' });
    await watcher.look();
    await place.import(['name,requested_limit,currency', 'Brit GmbH,2000.5,EUR'], { by: 'alice' });
    await watcher.look();
    expect(titles(await watcher.told()).sort()).toEqual([
      'Portfolio q4 awaits approval: 1 row, 1,000.00 to be requested',
      'Portfolio q4 awaits approval: 1 row, EUR 2,000.50 to be requested',
    ]);
  });

  // Promise: each-change-told-once
  test('sends one notice of each change, however many processes look simultaneously', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const watchers = Array.from({ length: 4 }, () => makeWatcher(place.context, ROOM));
    const lookAll = async () =>
      (await Promise.all(watchers.map(({ look }) => look()))).reduce((sum, one) => sum + one, 0);
    expect(await lookAll()).toBe(0);
    for (const name of ['q1', 'q2', 'q3']) {
      await answered(place, name, { done: 1, refused: 0 });
      await settle(place, name);
    }
    expect(await lookAll()).toBe(3);
    expect(await lookAll()).toBe(0);
  });

  // Promise: no-change-is-lost
  test('sends each notice once even if earlier looks were cut off', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const names = Array.from({ length: 25 }, (_, n) => `q${n}`);
    await makeWatcher(place.context, ROOM).look();
    for (const name of names) {
      await answered(place, name, { done: 1, refused: 30 });
      await settle(place, name);
    }
    let told = 0;
    const dying: WatchDeps['outbox'] = {
      report: async (states) => {
        told += 1;
        // The look is cut off before, during and after the report.
        if (told % 3 === 0) throw new Error('the process was killed');
        await place.context.outbox.report(told % 3 === 1 ? states : states.slice(0, states.length / 2));
        if (told % 3 === 2) throw new Error('the process was killed');
        return 0;
      },
    };
    const cut = makeWatcher(place.context, { ...ROOM, outbox: dying });
    for (let times = 0; times < 6; times += 1) await cut.look().catch(() => {});
    const watcher = makeWatcher(place.context, ROOM);
    await watcher.look();
    const found = titles(await watcher.told());
    expect(found.length).toBe(new Set(found).size);
    expect(found.filter((title) => title.includes('has settled'))).toHaveLength(25);
    expect(found.filter((title) => title.includes('failed'))).toHaveLength(25);
  });

  test('sends no notice of a state that changed between the look and the notice', async () => {
    const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on', NOTIFY_FULL_ABOVE: '100' } });
    const { portfolios, approvals } = place.context;
    await makeWatcher(place.context, ROOM).look();
    await place.import(buyerLines(3), { by: 'alice' });
    await answered(place, 'q5', { done: 1, refused: 0 });
    await settle(place, 'q5');
    const late = makeWatcher(place.context, {
      ...ROOM,
      portfolios: {
        ...portfolios,
        read: async (name) => ({ ...(await portfolios.read(name)), finishedMs: undefined }),
      },
      approvals: {
        ...approvals,
        read: async (id) => {
          const approval = await approvals.read(id);
          return approval && { ...approval, standing: 'granted' };
        },
      },
    });
    expect(await late.look()).toBe(0);
    // The state was only a wrong view of the late watcher. The real state sends its notices.
    expect(await makeWatcher(place.context, ROOM).look()).toBe(2);
  });

  // Promise: back-told-before-settled
  test('sends the notice that the service is back before the notice of the settled portfolio', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const { ledger, keys, log } = place.context;
    const watcher = makeWatcher(place.context, ROOM);
    const pace = makePace({ connection: ledger, key: keys.pace, ceilingPerS: undefined, log });
    await pace.block({ why: 'not there', because: 'outage', episode: 0 });
    await watcher.look();
    await answered(place, 'q4', { done: 1, refused: 0 });
    expect(await watcher.lookWhile('blocked', 11)).toBe(1);
    await pace.answered();
    await expect.poll(async () => (await readCallsHeld(ledger, keys)).accepted).toBe(1);
    await settle(place, 'q4');
    // The first looks still find the last wait.
    for (const minutes of [0, 0.1, 0.1]) expect(await watcher.lookAfter(minutes)).toBe(0);
    await watcher.lookAfter(2);
    expect((await watcher.told()).map(({ kind }) => kind)).toEqual(['away', 'back', 'settled']);
  });

  test('logs once what cannot be examined, and still sends the other notices', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const fail = async () => {
      throw new Error('INFO is forbidden');
    };
    const { log, lines } = makeKeptLog();
    const look = makeLook({ ...place.context, readServers: fail, reports: { list: fail } }, log);
    const { signal } = new AbortController();
    await look(signal);
    await answered(place, 'q4', { done: 1, refused: 0 });
    await settle(place, 'q4');
    expect(await look(signal)).toBe(1);
    expect(lines.map(({ msg, reason }) => `${msg}: ${reason}`)).toEqual([
      'the room of Redis could not be looked at, so nobody is told of it: INFO is forbidden',
      'the nightly reports could not be looked at, so nobody is told of it: INFO is forbidden',
    ]);
  });

  test('continues until it is stopped, and sends each notice once from two watchers', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    await makeWatcher(place.context, ROOM).look();
    await answered(place, 'q4', { done: 1, refused: 0 });
    await settle(place, 'q4');
    const ending = new AbortController();
    const options = { log: makeSilentLog(), signal: ending.signal };
    const [watching, other] = [startWatching(place.context, options), startWatching(place.context, options)];
    await expect.poll(() => place.context.outbox.lately()).toHaveLength(1);
    await watching.stop();
    ending.abort();
    await other.stop();
    await settle(place, 'q4');
    expect(await place.context.outbox.lately()).toHaveLength(1);
  });
});

test('sends a notice of the real figures of a Redis that is nearly full', async () => {
  const redis = await startKillableRedis();
  const place = await openWorkplace({ env: { REDIS_URL: redis.url, NOTIFY_FULL_ABOVE: '80' } });
  const watcher = makeWatcher(place.context);
  await watcher.look();
  const used = Number((await place.context.readServers())[0]?.used_memory);
  await redis.admin.config('SET', 'maxmemory', String(Math.round(used / 0.9)));
  await watcher.look();
  await redis.admin.config('SET', 'maxmemory', '0');
  const found = (await watcher.told()).filter(({ kind }) => kind === 'redis');
  expect(titles(found)).toEqual([expect.stringMatching(/^The memory of Redis is nearly full: \d\d % in use$/)]);
});

test('reads no row and needs few commands for a thousand portfolios', async () => {
  const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
  const { ledger, keys } = place.context;
  const pipeline = ledger.pipeline();
  for (let n = 0; n < 1_000; n += 1) {
    pipeline.zadd(keys.portfolios, n, `portfolio-${n}`);
    pipeline.hset(keys.portfolio(`portfolio-${n}`), 'started', 1, 'finished', 2);
  }
  await pipeline.exec();
  const watcher = makeWatcher(place.context, ROOM);
  await watcher.look();
  const sent = vi.spyOn(ledger, 'sendCommand');
  await watcher.look();
  const names = sent.mock.calls.map(([{ name }]) => name);
  // The calls are five pages of portfolios, the check for an older Redis, the stored states, decisions and some system
  // state.
  expect(names.filter((name) => name === 'evalsha')).toHaveLength(6);
  expect(names.length).toBeLessThan(26);
});
