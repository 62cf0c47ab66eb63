import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTakingEvents, takeAllEvents } from '../../../jobs/events/take-events.ts';
import type { Context } from '../../../src/context.ts';
import type { NoticeState } from '../../../src/notices/notice.ts';
import { openDesk } from '../../support/desk.ts';
import { allEvents, decisionEvent, eventOf, letPass, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { importUnderReview, later } from '../../support/under-review.ts';
import { makeWatcher, ROOM } from '../../support/watcher.ts';
import { makeKeptLog } from '../../support/workplace.ts';

/** Rows that are all under review, the ids of their limits, and a reader of events for them. */
async function openReview(rows: number, mapped: object = {}) {
  const desk = await openDesk(rows);
  const context = await importUnderReview(desk);
  const ids = (await context.rows.read(await rowsOf(context))).map((row) => row?.limitId ?? '');
  const mapping = mappingIn(writeMapping(desk.cwd, { ...MAPPING, ...mapped }));
  const kept = makeKeptLog();
  /** Reads events until the test ends, or it is stopped. */
  const told: NoticeState[] = [];
  const outbox = { report: async (states: readonly NoticeState[]) => told.push(...states) };
  const start = () => {
    const taking = startTakingEvents({ ...context, outbox, log: kept.log }, { mapping, everyMs: 200 });
    onTestFinished(() => taking.stop());
    return taking;
  };
  const statuses = async () => (await desk.json('report', 'q4')).statuses;
  return { ...desk, context, ids, mapping, start, statuses, told, lines: kept.lines };
}

async function rowsOf({ ledger, keys }: Context) {
  const found = await ledger.keys(`${keys.row('q4', '')}*`);
  return found.map((key) => ({ portfolio: 'q4', key: key.slice(keys.row('q4', '').length) }));
}

/** The decisions in the histories of the rows. */
async function decidedIn(context: Context) {
  const told = await Promise.all((await rowsOf(context)).map((row) => context.stories.entries(row)));
  return told.flat().filter((entry) => entry.is === 'decided');
}

/** The audit entries about events whose decisions were applied. */
async function audited({ audit }: Context) {
  const { entries } = await audit.read.page({ count: 99, filter: {}, walk: Number.POSITIVE_INFINITY });
  return entries.filter(({ what }) => what === 'decisions taken in');
}

/** The outcome of each kept event, oldest first, after all are read. */
async function became({ events }: Context) {
  const unread = async () => (await allEvents(events)).filter((event) => !event.became);
  await expect.poll(unread, { timeout: 30_000 }).toEqual([]);
  return (await allEvents(events)).map((event) => event.became);
}

// Promises: decided-as-by-files, listener-logs-numbers-alone, history-names-the-event
test("an event's decision is applied like one of a file, with its time and the event as source", async () => {
  const { context, ids, start, statuses, standIn, lines, limitline, told } = await openReview(3);
  const { made } = standIn.counts();
  const { keep, stop } = start();
  const at = later(1);
  expect(await keep(eventOf(decisionEvent(ids[0], 'approved', { total: 900, at })))).toBe('kept');
  await expect.poll(statuses).toEqual({ in_progress: 2, approved: 1 });
  const [event] = await allEvents(context.events);
  expect((await decidedIn(context))[0]).toMatchObject({
    by: 'events',
    file: `event ${event?.id}`,
    at,
    said: { status: 'approved', total_limit: '900' },
    before: { status: 'in_progress' },
  });
  expect(standIn.counts().made).toEqual(made);
  await stop();
  expect(told).toMatchObject([{ notice: { kind: 'decided', path: '/portfolios/q4' } }]);
  expect(lines.at(-1)).toMatchObject({ level: 'info', read: 1, msg: '1 event was read: 1 taken' });
  expect(JSON.stringify(lines)).not.toContain(ids[0]);
  expect((await limitline('audit', 'list')).stdout).toMatch(/events .*decisions taken in/);
});

// Promise: decided-as-by-files
test('repeated, older, contradicting and unknown events change nothing, and have one audit entry in all', async () => {
  const { context, ids, start, statuses } = await openReview(1);
  const { keep, stop } = start();
  const said = decisionEvent(ids[0], 'approved', { at: later(2) });
  await keep(eventOf(said));
  await expect.poll(statuses).toEqual({ approved: 1 });
  for (const body of [
    decisionEvent(ids[0], 'rejected', { at: later(1) }),
    decisionEvent(ids[0], 'rejected', { at: JSON.parse(said).created }),
    decisionEvent('bl_of_nobody', 'rejected'),
    decisionEvent(ids[0], 'rejected', { type: 'buyer_limit.created', at: later(3) }),
    '{"type":"buyer_limit.updated","data":[]}',
  ])
    await keep(eventOf(body));
  expect(await became(context)).toEqual(
    expect.arrayContaining([
      { taken: 1 },
      { older: 1 },
      { contradicts: 1 },
      { unknown: 1 },
      { 'other kind': 1 },
      { unreadable: 1 },
    ]),
  );
  // The same content arrives again.
  expect(await keep(eventOf(said))).toBe('known');
  const [event] = await allEvents(context.events);
  await expect.poll(() => context.ledger.zscore(context.keys.eventsUnread, event?.id ?? '')).toBe(null);
  // The event still counts as the source of the decision.
  expect((await allEvents(context.events))[0]?.became).toEqual({ taken: 1 });
  await stop();
  expect(await statuses()).toEqual({ approved: 1 });
  expect(await audited(context)).toMatchObject([{ by: 'events', facts: { decisions: 1 } }]);
});

// Promise: decided-as-by-files
test('an event counts as read, and as what brought its decision, also where no mark can follow it', async () => {
  const { context, ids, start, statuses } = await openReview(1);
  const folder = join(context.settings.LIMITLINE_DATA, 'marks');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'no folder');
  const { keep } = start();
  await keep(eventOf(decisionEvent(ids[0], 'approved', { at: later(1) })));
  await expect.poll(statuses).toEqual({ approved: 1 });
  expect(await became(context)).toEqual([{ taken: 1 }]);
});

// Promise: answer-counts-above-older-event
test('an event older than the request does not override the answer, and a later one does', async () => {
  const { context, ids, mapping, statuses } = await openReview(2);
  const { ledger, keys, events, decisions } = context;
  // This call was sent twice, so its event is not certain to be older.
  const twice = await decisions.find(ids[1] ?? '');
  await ledger.hset(keys.call('limit', twice?.key ?? ''), 'sends', 2);
  for (const id of ids) await events.keep(eventOf(decisionEvent(id, 'rejected', { at: later(-60) })));
  expect((await takeAllEvents({ mapping }, context)).became).toEqual({ older: 1, taken: 1 });
  expect(await statuses()).toEqual({ in_progress: 1, rejected: 1 });
  const sent = (await decisions.find(ids[0] ?? ''))?.askedMs ?? 0;
  await events.keep(eventOf(decisionEvent(ids[0], 'approved', { at: new Date(sent).toISOString() })));
  await takeAllEvents({ mapping }, context);
  expect(await statuses()).toEqual({ approved: 1, rejected: 1 });
});

// Promise: history-names-the-event
test('the history names the event of the applied status when several events are read together', async () => {
  const { context, ids, mapping, statuses } = await openReview(3);
  for (const [nth, status] of ['a', 'b', 'c', 'd'].entries())
    for (const id of ids) await context.events.keep(eventOf(decisionEvent(id, status, { at: later(nth) })));
  await takeAllEvents({ mapping }, context);
  expect(await statuses()).toEqual({ d: 3 });
  const told = await decidedIn(context);
  expect(told.length).toBeGreaterThanOrEqual(3);
  for (const { file, said } of told) {
    const raw = await context.events.raw(file.slice('event '.length));
    expect(JSON.parse(String(raw?.body)).data.status).toBe(said.status);
  }
});

// Promise: deciding-events-audited
test('a repeated status with a later time adds no entry to the history and the audit', async () => {
  const { context, ids, start, statuses } = await openReview(1);
  const { keep } = start();
  for (const [nth, total] of [900, '900.0', '900.00'].entries()) {
    await keep(eventOf(decisionEvent(ids[0], 'approved', { at: later(nth + 1), total })));
    await became(context);
  }
  expect(await became(context)).toEqual([{ taken: 1 }, { same: 1 }, { same: 1 }]);
  expect(await decidedIn(context)).toHaveLength(1);
  expect(await audited(context)).toHaveLength(1);
  // The later time counts.
  await keep(eventOf(decisionEvent(ids[0], 'rejected', { at: later(2.5) })));
  expect((await became(context)).at(-1)).toEqual({ older: 1 });
  expect(await statuses()).toEqual({ approved: 1 });
});

// Promise: no-mapping-nothing-taken
test('events are not applied without a mapping, and a command applies them later', async () => {
  const { context, ids, mapping, start, statuses } = await openReview(1);
  await context.events.keep(eventOf(decisionEvent(ids[0], 'approved', { at: later(1) })));
  const { keep, stop } = start();
  await keep(eventOf('no JSON'));
  await expect
    .poll(async () => (await allEvents(context.events)).map((one) => one.became))
    .toEqual([undefined, { unreadable: 1 }]);
  await stop();
  expect(await statuses()).toEqual({ in_progress: 1 });
  expect(await takeAllEvents({ mapping }, context)).toMatchObject({ events: 2, became: { taken: 1, unreadable: 1 } });
  expect(await statuses()).toEqual({ approved: 1 });
  expect(await takeAllEvents({ mapping, sinceMs: Date.now() + 60_000 }, context)).toMatchObject({
    events: 0,
    became: {},
  });
});

test('an acknowledged event is read even if the process that stored or read it was killed', async () => {
  const { context, ids, start, statuses } = await openReview(2);
  const { events, ledger, keys } = context;
  for (const id of ids)
    await events.keep({ ...eventOf(decisionEvent(id, 'approved', { at: later(1) })), isToBeRead: true });
  // Another process received one event, and was killed.
  const [begun = ''] = await events.nextToRead([], 1);
  expect(await events.nextToRead([], 9)).not.toContain(begun);
  start();
  expect(await statuses()).toEqual({ in_progress: 2 });
  // A minute has passed.
  await letPass({ connection: ledger, keys }, 60_000);
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ approved: 2 });
  await expect.poll(() => ledger.zcard(keys.eventsUnread)).toBe(0);
});

// Promise: decisions-told-once-a-file
test('each decision is reported once, even if the process that applied it was killed', async () => {
  const { context, ids, mapping } = await openReview(4);
  const dies = () => Promise.reject(new Error('killed'));
  const { decisions } = context;
  const take = async (id = '', changes: object = {}) => {
    await context.events.keep(eventOf(decisionEvent(id, 'approved', { at: later(1) })));
    await takeAllEvents({ mapping }, { ...context, log: makeKeptLog().log, ...changes }).catch(() => {});
  };
  // The process is killed before the row is changed, before the notice, and before the notice is recorded.
  await take(ids[0], { decisions: { ...decisions, follow: dies } });
  await take(ids[1], { outbox: { report: dies } });
  await take(ids[2], { decisions: { ...decisions, noteTold: dies } });
  await take(ids[3], { outbox: { report: dies } });
  // The watcher reports the rest.
  const watcher = makeWatcher(context, ROOM);
  await watcher.look();
  await watcher.lookAfter(2);
  await watcher.lookAfter(2);
  const titles = (await watcher.told()).filter(({ kind }) => kind === 'decided').map(({ title }) => title);
  const of = (rows: string) => expect.stringContaining(`The service decided about ${rows} of portfolio q4`);
  expect(titles).toEqual([of('3 rows'), of('1 row')]);
  expect(await decisions.untold()).toEqual([]);
});

// Promise: early-event-read-again
test('an event that arrives before the answer to its call is read again', async () => {
  const { context, ids, start, statuses } = await openReview(1);
  const { ledger, keys } = context;
  const [limit = ''] = ids;
  const index = keys.madeIds('limit', limit);
  const key = (await ledger.hget(index, limit)) ?? '';
  await ledger.hdel(index, limit);
  const { keep } = start();
  await keep(eventOf(decisionEvent(limit, 'approved', { at: later(1) })));
  expect(await became(context)).toEqual([{ unknown: 1 }]);
  await ledger.hset(index, limit, key);
  const [, atMs = '0'] = await ledger.zrange(keys.eventsUnread, 0, '0', 'WITHSCORES');
  expect(Number(atMs) - Date.now()).toBeGreaterThan(5_000);
  await letPass({ connection: ledger, keys }, 20_000);
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ approved: 1 });
});

// Promise: deciding-events-audited
test('an event that is applied after failures has one audit entry', async () => {
  const { context, ids, mapping, statuses } = await openReview(1);
  const { ledger, keys } = context;
  let fails = 3;
  const decide: typeof context.decisions.decide = (limit, word, told, isTold) => {
    if (isTold && fails-- > 0) throw new Error('OOM command not allowed');
    return context.decisions.decide(limit, word, told, isTold);
  };
  const broken = { ...context, decisions: { ...context.decisions, decide }, log: makeKeptLog().log };
  const taking = startTakingEvents(broken, { mapping, everyMs: 50 });
  onTestFinished(() => taking.stop());
  await taking.keep(eventOf(decisionEvent(ids[0], 'declined', { at: later(1) })));
  for (const left of [2, 1, 0]) {
    await expect.poll(() => fails).toBe(left);
    await letPass({ connection: ledger, keys }, 60_000);
  }
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ declined: 1 });
  expect(await audited(context)).toHaveLength(1);
});

test('a deleted event is removed from the list of unread events', async () => {
  const { context, start } = await openReview(1);
  const { ledger, keys, events } = context;
  await events.keep({ ...eventOf('bl_1 {}'), isToBeRead: true });
  const [event] = await allEvents(events);
  await events.forget(['bl_1']);
  start();
  await expect.poll(() => ledger.zcard(keys.eventsUnread)).toBe(0);
  expect(await ledger.exists(keys.event(event?.id ?? ''))).toBe(0);
});

test('of two thousand statuses of one limit in one event, the latest is applied', async () => {
  const lists = { buyer_limit_id: '/*/id', status: '/*/status', decided_at: '/*/at', kind: undefined, kinds: [] };
  const { context, ids, mapping, statuses } = await openReview(1, {
    ...lists,
    total_limit: undefined,
    available_limit: undefined,
  });
  const startMs = Date.now();
  const all = Array.from({ length: 2_000 }, (_one, place) => {
    const nth = (place * 7_919) % 2_000;
    return { id: ids[0], status: `status ${nth}`, at: new Date(startMs + nth).toISOString() };
  });
  await context.events.keep(eventOf(JSON.stringify(all)));
  const { became: counts } = await takeAllEvents({ mapping }, context);
  expect((counts.taken ?? 0) + (counts.older ?? 0)).toBe(2_000);
  expect(await statuses()).toEqual({ 'status 1999': 1 });
});
