import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKeys, packedDigest } from '../../../src/ledger/events/keep-events.ts';
import { makeLuaScript } from '../../../src/lua-script.ts';
import { eventOf, freshId, makeOlder, openEvents } from '../../support/events.ts';

// Promise: each-event-kept-once
test('an event is stored once with its exact bytes, and the same content again only adds to its count', async () => {
  const { events, all } = openEvents();
  const body = Buffer.from([0, 255, 128, 0x7b, 0xd8, 0x00, 13, 10]);
  expect(await events.keep({ body, headers: { 'x-a': ['1', '2'], host: 'hier' } })).toBe('kept');
  expect(await events.keep({ body, headers: { host: 'anders' } })).toBe('known');
  const [kept, ...more] = await all();
  expect(more).toEqual([]);
  const id = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  expect(kept).toMatchObject({ id, times: 2, sizeBytes: body.length, ids: [], moreIds: 0 });
  expect(kept?.lastMs).toBeGreaterThanOrEqual(kept?.firstMs ?? Number.POSITIVE_INFINITY);
  const raw = await events.raw(id);
  expect(raw?.body.equals(body)).toBe(true);
  expect(raw?.headers).toEqual({ 'x-a': ['1', '2'], host: 'hier' });
  expect(await events.raw('none')).toBeUndefined();
});

test('events that arrive together are written in batches, each content once, and each sender is answered', async () => {
  const { events, all, connection, keys } = openEvents();
  const many = Array.from({ length: 150 }, (_none, at) => eventOf(`{"id":"bl_${at % 100}x"}`));
  const answers = await Promise.all(many.map(events.keep));
  expect(answers.filter((answer) => answer === 'kept')).toHaveLength(100);
  expect(answers.filter((answer) => answer === 'known')).toHaveLength(50);
  expect((await all()).map(({ times }) => times).reduce((sum, times) => sum + times)).toBe(150);
  // Each script writes another writer of the last event.
  const seen = await Promise.all((await all()).map(({ id }) => connection.hget(keys.event(id), 'seen')));
  expect(new Set(seen.map((words) => words?.split(' ').at(-1))).size).toBeLessThanOrEqual(3);
});

test('an event is found by each id in it, latest first, and not by other ids', async () => {
  const { events } = openEvents();
  const [limit, company] = [freshId('bl_'), freshId('company_')];
  await events.keep(eventOf(`{"id":"${limit}","company":"${company}"}`));
  await events.keep(eventOf(`the limit ${limit}, again`));
  await events.keep(eventOf(`something else: ${limit.toUpperCase()} ${limit}0`));
  const times = (await events.naming([limit], { count: 10 })).map(({ firstMs }) => firstMs);
  expect(times).toHaveLength(2);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect(await events.naming([company, limit], { count: 10 })).toHaveLength(2);
  expect(await events.naming([freshId('bl_')], { count: 10 })).toEqual([]);
  expect(await events.naming(['__proto__', ''], { count: 10 })).toEqual([]);
});

// Promise: no-event-before-its-time
test('a new event is refused and counted while the store is full of events that are too young to delete', async () => {
  const place = openEvents({ mostBytes: 2_500, keepMs: 3_600_000 });
  const { events, all } = place;
  const answers = [];
  for (const content of ['one', 'two', 'three', 'four']) answers.push(await events.keep(eventOf(content)));
  expect(answers).toEqual(['kept', 'kept', 'kept', 'full']);
  const { fullMs, ...totals } = await events.totals();
  expect(totals).toMatchObject({ events: 3, full: 1 });
  expect(fullMs).toBeGreaterThan(0);
  // A known event is accepted also while the store is full.
  expect(await events.keep(eventOf('two'))).toBe('known');
  const [oldest] = await all();
  await makeOlder(place, oldest?.id ?? '', 3_700_000);
  expect(await events.keep(eventOf('four'))).toBe('kept');
  expect((await all()).map(({ id }) => id)).not.toContain(oldest?.id);
});

test('a refused event is counted once by a repeated script, and reported as long as events are kept', async () => {
  const { events, connection, keys } = openEvents({ mostBytes: 10, keepMs: 3_600_000 });
  const script = makeLuaScript(connection, new URL('../../../src/ledger/lua/events.lua#keep-events', import.meta.url));
  const args = ['a try', 10, 3_600_000, 'A'.repeat(22), 2, 5, 100, 0, 'hello', '{}', '', '', 0];
  expect([await script(eventKeys(keys), args), await script(eventKeys(keys), args)]).toEqual([[0], [0]]);
  expect(await events.totals()).toMatchObject({ full: 2 });
  await events.dropOld();
  expect(await events.totals()).toMatchObject({ full: 2 });
  await connection.hincrby(keys.eventTotals, 'fullMs', -3_700_000);
  await events.dropOld();
  expect(await events.totals()).toMatchObject({ full: 0, fullMs: undefined });
});

test('an event is found by its id although many later ones have the id with other upper and lower case', async () => {
  const { events } = openEvents();
  await events.keep(eventOf('bl_Ab1'));
  for (let at = 0; at < 12; at += 1) await events.keep(eventOf(`BL_aB1 bl_aB1 ${at}`));
  expect((await events.naming(['bl_Ab1'], { count: 5 })).map(({ ids }) => ids)).toEqual([['bl_Ab1']]);
  expect(await events.naming(['bl_aB1'], { count: 5 })).toHaveLength(5);
  expect(await events.naming(['bl_AB1'], { count: 5 })).toEqual([]);
});

test('forgetting ids deletes the events that name them, with all their keys, and no others', async () => {
  const { events, all, connection, keys } = openEvents();
  const [limit, other] = [freshId('bl_'), freshId('bl_')];
  for (let at = 0; at < 130; at += 1) await events.keep(eventOf(`${limit} ${at}`));
  await events.keep(eventOf(`${other} ${limit.toUpperCase()}`));
  await events.keep(eventOf(other));
  expect(await events.forget([limit, limit, freshId('bl_')])).toBe(131);
  expect((await all()).map(({ ids }) => ids)).toEqual([[other]]);
  expect(await events.naming([limit], { count: 9 })).toEqual([]);
  expect(await events.forget([other])).toBe(1);
  expect(await connection.keys(`${keys.eventsLately}*`)).toEqual([keys.eventTotals]);
  expect(await events.totals()).toMatchObject({ events: 0, bytes: 0 });
});

// Promise: each-event-kept-once
test('a script that runs twice after a lost connection counts an event once', async () => {
  const { events, connection, keys, all } = openEvents();
  const keep = makeLuaScript(connection, new URL('../../../src/ledger/lua/events.lua#keep-events', import.meta.url));
  const args = ['once-only', 10_000, 60_000, 'an-event', 2, 4, 700, 0, 'bl_1', '{}', 'bl_1', packedDigest('bl_1'), 0];
  for (const _time of [1, 2]) await keep(eventKeys(keys), args);
  expect((await all()).map(({ id, times }) => [id, times])).toEqual([['an-event', 2]]);
  await keep(eventKeys(keys), ['another', ...args.slice(1)]);
  await keep(eventKeys(keys), ['another', ...args.slice(1)]);
  expect((await events.naming(['bl_1'], { count: 9 })).map(({ times }) => times)).toEqual([4]);
  expect(await events.totals()).toMatchObject({ events: 1, bytes: 700 });
});

test('while Redis fails the senders get the error, and later events are stored', async () => {
  const { events, connection, keys, all } = openEvents();
  await connection.set(keys.eventsLately, 'no sorted set');
  const failed = await Promise.allSettled(['one', 'two'].map((content) => events.keep(eventOf(content))));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await connection.del(keys.eventsLately);
  expect(await events.keep(eventOf('three'))).toBe('kept');
  expect(await all()).toHaveLength(1);
});

test('the totals and the index match the stored events after any keeping, ageing and forgetting', async () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant('keep' as const), which: fc.nat(11) }),
    fc.record({ is: fc.constant('older' as const), which: fc.nat(11) }),
    fc.record({ is: fc.constant('forget' as const), which: fc.nat(3) }),
    fc.record({ is: fc.constant('drop' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const place = openEvents({ mostBytes: 5_000, keepMs: 3_600_000 });
      const { events, connection, keys, all } = place;
      for (const one of steps) {
        if (one.is === 'keep')
          await events.keep(eventOf(`bl_${one.which % 4} company_${one.which} evt-${one.which}00`));
        else if (one.is === 'forget') await events.forget([`bl_${one.which}`]);
        else if (one.is === 'drop') await events.dropOld();
        else {
          const found = await all();
          if (found.length > 0) await makeOlder(place, found[one.which % found.length]?.id ?? '', 3_700_000);
        }
      }
      const there = await all();
      const totals = await events.totals();
      expect(totals.events).toBe(there.length);
      expect(totals.bytes).toBeLessThanOrEqual(5_000);
      expect(totals.bytes > 0).toBe(there.length > 0);
      for (const { id, ids } of there) {
        for (const named of ids) {
          expect((await events.naming([named], { count: 50 })).map((event) => event.id)).toContain(id);
        }
      }
      const buckets = await connection.keys(`${keys.eventIds('')}*`);
      const sizes = await Promise.all(buckets.map((bucket) => connection.zcard(bucket)));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(there.flatMap(({ ids }) => ids).length);
    }),
    { numRuns: 15 },
  );
});
