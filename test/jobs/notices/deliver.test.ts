import { describe, expect, test } from 'vitest';
import { deliverOnce, startDelivering } from '../../../jobs/notices/deliver.ts';
import type { TakenNotice } from '../../../src/notices/outbox.ts';
import { NOTICE_LIMITS } from '../../../src/notices/outbox-store.ts';
import type { Way } from '../../../src/notices/way.ts';
import { deliversTo, GOES_ON, makeState, openOutbox, startReceiver, withNotices } from '../../support/outbox.ts';

const titlesIn = (received: readonly Record<string, unknown>[]) => received.map(({ title }) => title);

describe('delivery', () => {
  // Promise: webhook-address-stays-secret
  test('sends due notices once, oldest first, with an id and a link', async () => {
    const { outbox, titles, deliveries } = await withNotices(3);
    const receiver = await startReceiver();
    const { deps, lines } = deliversTo(receiver.url, outbox);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 3, failed: 0, undelivered: 0 });
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 0, undelivered: 0 });
    expect(titlesIn(receiver.received)).toEqual(titles);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
    expect(receiver.received[0]).toMatchObject({ link: 'https://limits.example/portfolios/q4', account: deps.account });
    expect(await deliveries()).toMatchObject([{ is: 'delivered', where: receiver.host, tries: 1 }, {}, {}]);
    expect(await outbox.counts()).toEqual({ delivered: 3, undelivered: 0 });
    expect(lines.map(({ msg }) => msg)).toEqual(Array(3).fill('notice delivered'));
    expect(JSON.stringify(lines)).not.toContain('s3cr3t');
  });

  // Promise: one-sender-a-notice
  test('by several processes sends each notice once', async () => {
    const { outbox, open, titles } = await withNotices(12);
    const receiver = await startReceiver((answer) => setImmediate(() => answer.end()));
    await Promise.all([outbox, open(), open()].map((one) => deliverOnce(deliversTo(receiver.url, one).deps, GOES_ON)));
    expect(titlesIn(receiver.received).sort()).toEqual(titles.sort());
  });

  test('sends new notices until it stops, and finishes the one under way', async () => {
    const { outbox, open } = openOutbox({ ways: ['webhook'] });
    const receiver = await startReceiver();
    const { deps } = deliversTo(receiver.url, open());
    const { stop } = startDelivering(deps, { log: deps.log, signal: GOES_ON.signal });
    await outbox.report([makeState('1')]);
    await expect.poll(() => receiver.received).toHaveLength(1);
    let answerIt = (): void => {};
    receiver.react((answer) => {
      answerIt = () => answer.end();
    });
    await outbox.report([makeState('2'), makeState('3')]);
    await expect.poll(() => receiver.received).toHaveLength(2);
    const stopped = stop();
    answerIt();
    await stopped;
    expect(receiver.received).toHaveLength(2);
    const states = (await outbox.lately()).map(({ deliveries }) => deliveries[0]?.is);
    expect(states).toEqual(['waiting', 'delivered', 'delivered']);
  });

  test('by one way is not delayed by another way that hangs', async () => {
    const { outbox } = openOutbox();
    const receiver = await startReceiver(() => {});
    const sent: string[] = [];
    const stop = new AbortController();
    const mail: Way = {
      name: 'mail',
      where: 'mail.example',
      async send({ id }) {
        sent.push(id);
        if (sent.length === 2) stop.abort();
        return { is: 'delivered', words: '' };
      },
    };
    await outbox.report([makeState('1'), makeState('2')]);
    const { deps } = deliversTo(receiver.url, outbox, mail);
    expect(await deliverOnce(deps, { signal: stop.signal })).toEqual({ delivered: 2, failed: 1, undelivered: 0 });
    expect(await outbox.standings()).toEqual([
      { way: 'webhook', waiting: 2 },
      { way: 'mail', waiting: 0 },
    ]);
  });
});

describe('when a receiver fails', () => {
  // Promise: notices-wait-in-order
  test('its notices wait with one warning, and are sent under their first ids when it answers again', async () => {
    const { outbox, titles, afterWaiting } = await withNotices(3);
    const receiver = await startReceiver((answer) => answer.writeHead(500).end());
    const { deps, lines } = deliversTo(receiver.url, outbox);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 1, undelivered: 0 });
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 0, undelivered: 0 });
    await afterWaiting();
    await deliverOnce(deps, GOES_ON);
    const words = `${receiver.host} answered 500`;
    expect((await outbox.standings())[0]).toMatchObject({ waiting: 3, fault: { failures: 2, words } });
    expect(lines).toMatchObject([{ level: 'warn', reason: words, msg: 'notice not delivered; it is tried again' }]);
    receiver.react((answer) => answer.end());
    await afterWaiting();
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 3, failed: 0, undelivered: 0 });
    expect(titlesIn(receiver.received.slice(2)).sort()).toEqual(titles);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
    expect((await outbox.standings())[0]).toEqual({ way: 'webhook', waiting: 0 });
  });

  // Promise: notices-wait-in-order
  test('its notices are sent later in the order in which they arose', async () => {
    const { outbox, titles, connection, keys } = await withNotices(3);
    const receiver = await startReceiver((answer) => answer.writeHead(500).end());
    const { deps } = deliversTo(receiver.url, outbox);
    const wait = () => connection.hset(keys.outboxFault('webhook'), 'until', 0);
    for (let times = 0; times < 7; times += 1) {
      await deliverOnce(deps, GOES_ON);
      await wait();
    }
    receiver.react((answer) => answer.end());
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 3 });
    expect(titlesIn(receiver.received.slice(7))).toEqual(titles);
  });

  // Promise: refused-notice-keeps-no-other
  test('on one notice only, the others are delivered after a while', async () => {
    const { outbox, titles, connection, keys } = await withNotices(3);
    const receiver = await startReceiver();
    receiver.react((answer) => answer.writeHead(receiver.received.at(-1)?.title === titles[0] ? 500 : 200).end());
    const { deps } = deliversTo(receiver.url, outbox);
    for (let times = 0; times < 10; times += 1) {
      await deliverOnce(deps, GOES_ON);
      await connection.hset(keys.outboxFault('webhook'), 'until', 0);
    }
    expect((await outbox.standings())[0]).toMatchObject({ waiting: 1 });
  });

  // Promise: refused-notice-keeps-no-other
  test('on one refused notice, that notice is retried less often and the others are delivered', async () => {
    const { outbox, deliveries } = await withNotices(3);
    let calls = 0;
    const receiver = await startReceiver((answer) => {
      calls += 1;
      answer.writeHead(calls === 1 ? 400 : 200).end();
    });
    const { deps, lines } = deliversTo(receiver.url, outbox);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 2, failed: 1, undelivered: 0 });
    expect((await deliveries()).map(({ is }) => is)).toEqual(['waiting', 'delivered', 'delivered']);
    expect(lines[0]).toMatchObject({ level: 'warn', msg: expect.stringContaining('somebody should mend this') });
  });

  // Promise: refused-notice-keeps-no-other
  test('on one refused notice, the way counts as working, and the notice waits longer each time', async () => {
    const { outbox, afterWaiting } = await withNotices(1);
    const receiver = await startReceiver();
    const { deps } = deliversTo(receiver.url, outbox);
    for (const status of [500, 400, 400]) {
      receiver.react((answer) => answer.writeHead(status).end());
      await deliverOnce(deps, GOES_ON);
      expect(Boolean((await outbox.standings())[0]?.fault)).toBe(status === 500);
      if (receiver.received.length < 3) await afterWaiting();
    }
    const due = await outbox.take('webhook');
    expect(due.is === 'later' && due.inMs / 60_000).toBeCloseTo(20, -1);
  });

  // Promise: notices-wait-in-order
  test('it is not called again before the time that it asked for', async () => {
    const { outbox, connection } = await withNotices(1);
    const receiver = await startReceiver((answer) => answer.writeHead(429, { 'retry-after': '1800' }).end());
    const [second = 0] = (await connection.time()).map(Number);
    await deliverOnce(deliversTo(receiver.url, outbox).deps, GOES_ON);
    const [{ fault } = { fault: undefined }] = await outbox.standings();
    expect(fault?.againMs).toBeGreaterThanOrEqual(second * 1_000 + 1_800_000);
    expect(await outbox.take('webhook')).toMatchObject({ is: 'later' });
  });

  // Promise: undelivered-is-shown
  test('a notice is given up after three days, which log, list and counts show', async () => {
    const { outbox, age, afterWaiting, deliveries } = await withNotices(2);
    const receiver = await startReceiver((answer) => answer.writeHead(503).end());
    const { deps, lines } = deliversTo(receiver.url, outbox);
    await deliverOnce(deps, GOES_ON);
    await age(3 * 86_400_000, 0);
    await afterWaiting();
    // The sending process was away itself, so a first try after three days is not given up at once.
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 1, undelivered: 0 });
    await age(0, NOTICE_LIMITS.graceMs);
    await afterWaiting();
    await deliverOnce(deps, GOES_ON);
    await afterWaiting();
    await deliverOnce(deps, GOES_ON);
    expect(await deliveries()).toMatchObject([
      { is: 'undelivered', words: `${receiver.host} answered 503` },
      { is: 'undelivered' },
    ]);
    expect(await outbox.counts()).toEqual({ delivered: 0, undelivered: 2 });
    const said = lines.filter(({ level }) => level === 'error');
    expect(said).toHaveLength(2);
    expect(said[0]).toMatchObject({ msg: 'notice given up: it was not delivered', way: 'webhook', kind: 'settled' });
  });

  test('waiting notices of a way that failed for hours are given up without a try of their own', async () => {
    const { outbox, age, connection, keys, deliveries } = await withNotices(5);
    const receiver = await startReceiver((answer) => answer.writeHead(503).end());
    const { deps, lines } = deliversTo(receiver.url, outbox);
    await deliverOnce(deps, GOES_ON);
    await age(NOTICE_LIMITS.giveUpMs, 0);
    await connection.hincrby(keys.outboxFault('webhook'), 'since', String(-2 * NOTICE_LIMITS.graceMs));
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 0, undelivered: 5 });
    expect((await deliveries()).map(({ is }) => is)).toEqual(Array(5).fill('undelivered'));
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(5);
    expect(receiver.received).toHaveLength(1);
  });

  test('an expired notice is tried once more when its way may be retried', async () => {
    const { outbox, age, afterWaiting, connection, keys } = await withNotices(1);
    const receiver = await startReceiver((answer) => answer.writeHead(503).end());
    const { deps } = deliversTo(receiver.url, outbox);
    await deliverOnce(deps, GOES_ON);
    await age(NOTICE_LIMITS.giveUpMs, 0);
    await connection.hincrby(keys.outboxFault('webhook'), 'since', String(-2 * NOTICE_LIMITS.graceMs));
    await afterWaiting();
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 1, undelivered: 1 });
  });

  // Promise: undelivered-is-shown
  test('a notice that is refused alone is given up after three days, which the log shows', async () => {
    const { outbox, age, deliveries } = await withNotices(2);
    const receiver = await startReceiver();
    receiver.react((answer) => answer.writeHead(receiver.received.at(-1)?.title === 'notice 0' ? 400 : 200).end());
    const { deps, lines } = deliversTo(receiver.url, outbox);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 1, failed: 1, undelivered: 0 });
    await age(NOTICE_LIMITS.giveUpMs, 0);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 0, undelivered: 0 });
    await age(0, NOTICE_LIMITS.graceMs);
    expect(await deliverOnce(deps, GOES_ON)).toEqual({ delivered: 0, failed: 0, undelivered: 1 });
    expect((await deliveries()).map(({ is, tries }) => [is, tries])).toEqual([
      ['undelivered', 1],
      ['delivered', 1],
    ]);
    expect(lines.at(-1)).toMatchObject({ level: 'error', reason: expect.stringContaining('answered 400') });
  });

  test('a failure reported after the lease ended does not affect the process that now has the notice', async () => {
    const { outbox, connection, keys, ids, deliveries } = await withNotices(1);
    const [id = ''] = ids;
    const failed = { outcome: 'way', words: 'answered 503', where: 'host', waitMs: 60_000 } as const;
    const take = async () => (await outbox.take('webhook')) as TakenNotice;
    const first = await take();
    await connection.zadd(keys.outbox('webhook'), 'XX', 0, id);
    const second = await take();
    await outbox.settle('webhook', first, failed);
    expect(await deliveries()).toMatchObject([{ is: 'sending', tries: 2 }]);
    expect(await outbox.standings()).toContainEqual({ way: 'webhook', waiting: 1 });
    await outbox.settle('webhook', second, failed);
    await outbox.settle('webhook', second, failed);
    expect(await outbox.standings()).toContainEqual(
      expect.objectContaining({ fault: expect.objectContaining({ failures: 1 }) }),
    );
    // A delivery counts however late it is reported.
    await outbox.settle('webhook', first, { ...failed, outcome: 'delivered' });
    expect(await deliveries()).toMatchObject([{ is: 'delivered' }]);
  });

  test('a notice for a removed way waits three days, and is given up then', async () => {
    const { outbox, age, afterWaiting } = await withNotices(1);
    const { deps } = deliversTo('http://127.0.0.1:9/', outbox);
    const none = { ...deps, ways: [] };
    expect(await deliverOnce(none, GOES_ON)).toMatchObject({ undelivered: 0 });
    // Another process still has that way, and is sending.
    await outbox.take('webhook');
    await age(NOTICE_LIMITS.giveUpMs, 0);
    expect(await deliverOnce(none, GOES_ON)).toMatchObject({ undelivered: 0 });
    await afterWaiting();
    expect(await deliverOnce(none, GOES_ON)).toMatchObject({ undelivered: 1 });
  });
});

describe('a clock that jumps', () => {
  test('backwards makes no wait longer than intended', async () => {
    const { outbox, connection, keys, titles } = await withNotices(2);
    const receiver = await startReceiver();
    const day = 86_400_000;
    for (const id of await connection.zrange(keys.outbox('webhook'), '0', '-1')) {
      await connection.zincrby(keys.outbox('webhook'), String(day), id);
    }
    const fault = { until: String(Date.now() + day), wait: '5000', since: '1', failures: '1' };
    await connection.hset(keys.outboxFault('webhook'), fault);
    expect(await deliverOnce(deliversTo(receiver.url, outbox).deps, GOES_ON)).toMatchObject({ delivered: 2 });
    expect(titlesIn(receiver.received)).toEqual(titles);
  });
});
