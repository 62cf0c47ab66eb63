import { describe, expect, test, vi } from 'vitest';
import { startWatching, type WatchDeps } from '../../../jobs/notices/watch.ts';
import { readSettings } from '../../../src/config.ts';
import { makeSilentLog } from '../../../src/log.ts';
import type { Notice } from '../../../src/notices/notice.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { makeWatcher } from '../../support/watcher.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** Rows that ended so, written down as the ledger has them; the next look sees them. */
async function answered({ context }: Place, name: string, { done, refused }: { done: number; refused: number }) {
  const { ledger, keys } = context;
  await ledger.zadd(keys.portfolios, 1, name);
  await ledger.hset(keys.portfolio(name), 'started', 1);
  for (const [state, count] of Object.entries({ done, refused })) {
    const rows = Array.from({ length: count }, (_, place) => [place, `${name} ${state} ${place}`]).flat();
    if (rows.length > 0) await ledger.zadd(keys.rowsInState(name, state), ...rows);
  }
}

/** It settles now, by the server's clock. */
async function settle({ context: { ledger, keys } }: Place, name: string): Promise<void> {
  const [seconds] = await ledger.time();
  await ledger.hset(keys.portfolio(name), 'finished', (Number(seconds) + 1) * 1_000);
}

const titles = (told: readonly Notice[]) => told.map(({ title }) => title);
/** The disk of whoever runs this may be full. */
const ROOM = { readServers: async () => [] };

describe('watching', () => {
  test('a portfolio is told of from its approval to its end, with its figures and where to look', async () => {
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
        title: 'Portfolio q4 awaits approval: 10 rows, 10,060.00 requested',
        facts: [
          { term: 'What', what: 'the rows of an import' },
          { term: 'Rows', what: '10' },
          { term: 'Requested', what: '10,060.00' },
        ],
        path: `/approvals/${id}`,
        atMs: asked?.askedMs,
      },
      {
        kind: 'settled',
        title: 'Portfolio q4 has settled: 9 done, 1 refused',
        facts: [
          { term: 'Requested', what: '10,060.00' },
          { term: 'Granted', what: '9,052.50' },
          { term: 'Requested by refused rows', what: '1,007.50' },
          { term: 'Failed', what: '1 row: refused by the service at the step limit (status 400)' },
        ],
        path: '/portfolios/q4',
        atMs: (await place.context.portfolios.read('q4')).finishedMs,
      },
    ]);
  });

  test('what was before anybody looked is remembered, and what follows is told', async () => {
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
    await settle(place, 'failing');
    await place.import(buyerLines(4), { by: 'alice', portfolio: 'q5' });
    await watcher.look();
    expect(titles(await watcher.told()).sort()).toEqual([
      'Portfolio failing has settled: 50 refused',
      'Portfolio failing paused itself: its first rows are at an end',
      'Portfolio q5 awaits approval: 4 rows, 4,012.00 requested',
    ]);
  });

  test('of any number of processes that look at the same moment, one tells', async () => {
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

  test('a look that is cut off loses nothing and doubles nothing: the next one tells the rest', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const names = Array.from({ length: 25 }, (_, n) => `q${n}`);
    await makeWatcher(place.context, ROOM).look();
    for (const name of names) {
      await answered(place, name, { done: 1, refused: 30 });
      await settle(place, name);
    }
    let told = 0;
    const dying: WatchDeps['outbox'] = {
      tell: async (states) => {
        told += 1;
        // It is cut off before, in the middle of and behind what it tells.
        if (told % 3 === 0) throw new Error('the process was killed');
        await place.context.outbox.tell(told % 3 === 1 ? states : states.slice(0, states.length / 2));
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

  test('what cannot be looked at is said once, and keeps nothing else from being told', async () => {
    const place = await openWorkplace({ env: { NOTIFY_FULL_ABOVE: '100' } });
    const fail = async () => {
      throw new Error('INFO is forbidden');
    };
    const watcher = makeWatcher(place.context, { readServers: fail, reports: { list: fail } });
    await watcher.look();
    await answered(place, 'q4', { done: 1, refused: 0 });
    await settle(place, 'q4');
    expect(await watcher.look()).toBe(1);
  });

  test('goes on by itself, whatever goes wrong, until it is stopped', async () => {
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

describe('settings of notices change', () => {
  /** What is told under these settings of a portfolio that settles with 15 of 100 rows refused, and of a disk in use. */
  async function kindsUnder(env: Record<string, string>) {
    const place = await openWorkplace({ env });
    const watcher = makeWatcher(place.context, { readServers: async () => [{ used_memory: '60', maxmemory: '100' }] });
    await watcher.look();
    await answered(place, 'q4', { done: 85, refused: 15 });
    await settle(place, 'q4');
    await watcher.look();
    const listed = await place.context.outbox.lately();
    return listed
      .filter(({ notice }) => notice.kind !== 'disk')
      .map(({ notice, deliveries }) => `${notice.kind} ${deliveries.length}`)
      .sort();
  }

  test.each([
    [{}, ['failures 0', 'settled 0']],
    [{ NOTIFY_FAILURES_ABOVE: '14' }, ['failures 0', 'settled 0']],
    [{ NOTIFY_FAILURES_ABOVE: '15' }, ['settled 0']],
    [{ NOTIFY_FULL_ABOVE: '59' }, ['failures 0', 'redis 0', 'settled 0']],
    [{ NOTIFY_FULL_ABOVE: '60' }, ['failures 0', 'settled 0']],
    [{ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/hook' }, ['failures 1', 'settled 1']],
    [{ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/hook', NOTIFY_ABOUT: 'settled, away' }, ['failures 0', 'settled 1']],
  ])('what is told: %j', async (env, kinds) => {
    expect(await kindsUnder(env)).toEqual(kinds);
  });

  test.each([
    ['10', 5, 11],
    ['1', 0.5, 1.5],
    ['60', 59, 61],
  ])('after how long the service is told of as away: NOTIFY_AWAY_AFTER_MIN=%s', async (minutes, before, after) => {
    const place = await openWorkplace({ env: { NOTIFY_AWAY_AFTER_MIN: minutes, NOTIFY_FULL_ABOVE: '100' } });
    const watcher = makeWatcher(place.context, ROOM);
    const { ledger, keys } = place.context;
    const [seconds] = await ledger.time();
    await ledger.hset(keys.pace, { rate: 1, because: 'outage', until: (Number(seconds) + 60) * 1e6, accepted: 5 });
    await watcher.lookWhile('blocked', 0);
    for (let passed = 0; passed < before; passed += 20)
      await watcher.lookWhile('blocked', Math.min(20, before - passed));
    expect(await watcher.told()).toEqual([]);
    await watcher.lookWhile('blocked', after - before);
    expect((await watcher.told()).map(({ kind }) => kind)).toEqual(['away']);
  });

  test.each([
    [
      'NOTIFY_FAILURES_ABOVE',
      '101',
      /NOTIFY_FAILURES_ABOVE is "101", but must be a whole number from 0 to 100 \(percent\)/,
    ],
    [
      'NOTIFY_AWAY_AFTER_MIN',
      '0',
      /NOTIFY_AWAY_AFTER_MIN is "0", but must be a whole number from 1 to 10080 \(minutes\)/,
    ],
    ['NOTIFY_FULL_ABOVE', '0', /NOTIFY_FULL_ABOVE is "0", but must be a whole number from 1 to 100 \(percent\)/],
    [
      'NOTIFY_ABOUT',
      'settled, hunger',
      /NOTIFY_ABOUT is "settled, hunger", but must be some of awaiting, settled, paused/,
    ],
  ])('and are refused in words: %s=%s', (name, value, words) => {
    expect(() => readSettings({ env: { LIMITLINE_DATA: '/nowhere', [name]: value } })).toThrow(words);
  });
});

test('a Redis that is nearly full is told of, in its own words', async () => {
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

test('a look at a thousand portfolios reads no row and is a few commands', async () => {
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
  // Two full pages of portfolios and one that is empty, what is remembered of them, and some of the system.
  expect(names.filter((name) => name === 'evalsha')).toHaveLength(3);
  expect(names.length).toBeLessThan(20);
});
