import { expect, onTestFinished, test } from 'vitest';
import { readEvent } from '../../../jobs/events/read-event.ts';
import { startTakingEvents } from '../../../jobs/events/take-events.ts';
import type { Context } from '../../../src/context.ts';
import { decisionEvent, eventOf, letPass, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { makeFolder, makeKeptLog } from '../../support/workplace.ts';

const FIRST_MS = Date.parse('2026-11-20T08:00:00Z');
const AT = '2026-11-19T10:00:00.000Z';

async function read(body: unknown, changed: object = {}) {
  const mapping = mappingIn(writeMapping(await makeFolder(), { ...MAPPING, ...changed }));
  return readEvent(typeof body === 'string' ? body : JSON.stringify(body), mapping, { firstMs: FIRST_MS });
}

const data = { id: 'bl_1', status: 'approved', total_limit: 1250.5, available_limit: '1000.00' };
const event = { type: 'buyer_limit.updated', created: AT, data };

test('an event is read as a decision with limit, status, exact amounts and time', async () => {
  expect(await read(event)).toEqual([
    {
      is: 'decision',
      word: {
        limit: 'bl_1',
        status: 'approved',
        total: '1250.5',
        available: '1000',
        at: AT,
        isDated: true,
        isOfEvent: true,
      },
      found: {
        kind: 'buyer_limit.updated',
        buyer_limit_id: 'bl_1',
        status: 'approved',
        total_limit: '1250.5',
        available_limit: '1000.00',
        decided_at: AT,
      },
    },
  ]);
});

test.each([
  ['2026-11-19T11:00:00+01:00', AT],
  ['2026-11-19', '2026-11-19T23:59:59.999Z'],
  [Date.parse(AT) / 1_000, AT],
  [Date.parse(AT), AT],
])('the time %j is read as %s', async (created, at) => {
  expect(await read({ ...event, created })).toMatchObject([{ word: { at, isDated: true } }]);
});

test('a time that is only the day of arrival counts as undated', async () => {
  const now = { at: new Date(FIRST_MS).toISOString(), isDated: false };
  expect(await read({ ...event, created: '2026-11-20' })).toMatchObject([{ word: now }]);
});

test('unmapped fields are undefined, null means none, and a missing time is the time of arrival', async () => {
  const bare = { total_limit: undefined, available_limit: undefined, decided_at: undefined };
  expect(await read(event, bare)).toMatchObject([
    { word: { total: undefined, available: undefined, at: '2026-11-20T08:00:00.000Z', isDated: false } },
  ]);
  const nothing = { ...event, data: { ...data, total_limit: null, available_limit: 0 } };
  expect(await read(nothing)).toMatchObject([{ word: { total: '', available: '0' } }]);
});

test('events of kinds that are not mapped are ignored, whatever they contain', async () => {
  expect(await read({ type: 'company.updated', data: [[]] })).toEqual([
    { is: 'other kind', found: { kind: 'company.updated' } },
  ]);
});

test('each list element is read as a limit, with the kind and the time of its event', async () => {
  const lists = {
    buyer_limit_id: '/events/*/limits/*/id',
    status: '/events/*/limits/*/status',
    total_limit: undefined,
    available_limit: undefined,
    decided_at: '/events/*/at',
    kind: '/events/*/type',
    kinds: ['decided'],
  };
  const limits = [{ id: 'bl_1', status: 'approved' }, { id: 'bl_2' }];
  const events = [
    { type: 'decided', at: AT, limits },
    { type: 'other' },
    { type: 'decided', at: AT, limits: 'none' },
    { type: 'decided', at: AT, limits: [] },
  ];
  const readings = await read({ events }, lists);
  expect(readings).toMatchObject([
    { is: 'decision', word: { limit: 'bl_1', at: AT }, found: { kind: 'decided' } },
    { is: 'unreadable', why: 'status is missing: there is nothing at /events/0/limits/1/status.' },
    { is: 'other kind' },
    { is: 'unreadable', why: 'The event has no list at /events/2/limits.' },
  ]);
  expect(await read({ events: { 0: {} } }, lists)).toMatchObject([{ why: 'The event has no list at /events.' }]);
});

// Promise: unreadable-event-not-taken
test.each<[string, unknown, string]>([
  ['a mapped part that is missing', { ...event, data: { ...data, id: undefined } }, 'there is nothing at /data/id'],
  ['an amount that is missing', { ...event, data: { ...data, total_limit: undefined } }, 'total_limit is missing'],
  ['no kind', { ...event, type: undefined }, 'there is nothing at /type'],
  ['a kind that is a number', { ...event, type: 7 }, 'kind is a number'],
  ['a list where a value was', { ...event, data: { ...data, status: ['approved'] } }, 'status is a list'],
  ['an object where a value was', { ...event, data: { ...data, total_limit: {} } }, 'total_limit is of type object'],
  ['a list where an object was', { ...event, data: [data] }, 'there is nothing at /data/id'],
  ['an id that is a number', { ...event, data: { ...data, id: 12 } }, 'buyer_limit_id is a number'],
  ['an id of 1 MB', { ...event, data: { ...data, id: 'x'.repeat(1e6) } }, 'longer than 128 bytes'],
  ['an empty status', { ...event, data: { ...data, status: '' } }, 'status is empty'],
  ['a status that is null', { ...event, data: { ...data, status: null } }, 'status is empty'],
  ['a control character', { ...event, data: { ...data, status: 'a\u001b[31m' } }, 'has a control character'],
  ['a status of 101 bytes', { ...event, data: { ...data, status: 'x'.repeat(101) } }, 'longer than 100 bytes'],
  ['an amount below zero', { ...event, data: { ...data, total_limit: -1 } }, 'total_limit: '],
  ['an amount in another convention', { ...event, data: { ...data, total_limit: '1.000,50' } }, 'total_limit: '],
  [
    'an integer of more digits than JSON carries',
    `{"type":"buyer_limit.updated","created":"${AT}","data":{"id":"bl_1","status":"approved","total_limit":9007199254740993,"available_limit":0}}`,
    'total_limit: The number has more digits',
  ],
  [
    'a fraction of more digits than JSON carries',
    { ...event, data: { ...data, total_limit: 0.1 + 0.2 } },
    'total_limit: The number has more digits',
  ],
  [
    'an amount with a separator',
    { ...event, data: { ...data, total_limit: '1,234' } },
    'total_limit: The amount has a separator',
  ],
  [
    'an amount with a separator of thousands',
    { ...event, data: { ...data, available_limit: "1'234.50" } },
    'available_limit: The amount has a separator',
  ],
  [
    'an amount whose point may be a separator',
    { ...event, data: { ...data, total_limit: '1.234' } },
    'total_limit: The amount has a separator',
  ],
  ['a time that is a word', { ...event, created: 'soon' }, 'decided_at: '],
  ['a time beyond every calendar', { ...event, created: 1e300 }, 'decided_at: '],
  ['a time in the far future', { ...event, created: '2999-01-01T00:00:00Z' }, 'in the future'],
  ['a body that is not JSON', 'id=bl_1', 'The event is no JSON.'],
  ['an empty body', '', 'The event is no JSON.'],
  ['the body null', 'null', 'there is nothing at /type'],
  ['1 MB of lists in lists', '['.repeat(5e5) + ']'.repeat(5e5), 'there is nothing at /type'],
  ['1 MB of lists that do not end', '['.repeat(1e6), 'The event is no JSON.'],
  ['1 MB of objects in objects', `${'{"type":'.repeat(1e5)}1${'}'.repeat(1e5)}`, 'kind is of type object'],
])('an event with %s is unreadable, with the reason', async (_what, body, why) => {
  expect(await read(body)).toEqual([expect.objectContaining({ is: 'unreadable', why: expect.stringContaining(why) })]);
});

test('all faults of an event are listed, each once', async () => {
  const wrong = {
    type: event.type,
    created: 'soon',
    data: { ...data, id: 12, status: undefined, total_limit: '1,234' },
  };
  expect(await read(wrong)).toMatchObject([
    {
      why: expect.stringMatching(
        /^buyer_limit_id is a number\. status is missing: \S[^.]* \/data\/status\. total_limit: The amount has a separator [^.]*\.50 is read\. decided_at: /,
      ),
    },
  ]);
});

// Promise: unreadable-event-not-taken
test('a missing optional field leaves the known value', async () => {
  const without = { type: event.type, data: { id: 'bl_1', status: 'rejected' } };
  const optional = ['total_limit', 'available_limit', 'decided_at'];
  expect(await read(without, { optional })).toMatchObject([
    { is: 'decision', word: { total: undefined, available: undefined, isDated: false } },
  ]);
});

test("a pointer with __proto__ or constructor reads only the event's own fields", async () => {
  const odd = { status: '/__proto__/status', total_limit: '/constructor/length', kind: undefined, kinds: [] };
  expect(await read(decisionEvent('bl_1', 'approved'), odd)).toMatchObject([
    { is: 'unreadable', why: expect.stringContaining('nothing at /__proto__/status') },
  ]);
  const own = `{"__proto__":{"status":"approved"},"constructor":{"length":5},${JSON.stringify(event).slice(1)}`;
  expect(await read(own, odd)).toMatchObject([{ word: { status: 'approved', total: '5' } }]);
  expect(Object.hasOwn(Object.prototype, 'status')).toBe(false);
});

test('an event with more than 10,000 limits is unreadable', async () => {
  const lists = { buyer_limit_id: '/*', status: '/*', kind: undefined, kinds: [] };
  const rest = { total_limit: undefined, available_limit: undefined, decided_at: undefined };
  const many = Array.from({ length: 10_001 }, () => 'bl_1');
  expect(await read(many, { ...lists, ...rest })).toMatchObject([{ why: 'The event has more than 10000 limits.' }]);
  expect(await read(many.slice(1), { ...lists, ...rest })).toHaveLength(10_000);
});

/** A portfolio with an event whose status may be mistyped, read with these parts of the context. */
async function openAsked(change: (context: Context) => Partial<Context>) {
  const { context } = await openFinishedPortfolio(1);
  const mapping = mappingIn(writeMapping(await makeFolder(), MAPPING));
  const { log, lines } = makeKeptLog();
  const taking = startTakingEvents({ ...context, ...change(context), log }, { mapping, everyMs: 100 });
  onTestFinished(() => taking.stop());
  await taking.keep(eventOf(decisionEvent('bl_q41', 'aproved')));
  await expect.poll(() => JSON.stringify(lines), { timeout: 20_000 }).toContain('mistyped');
  const statuses = async () => (await context.portfolios.read('q4')).statuses;
  return { context, statuses };
}

test('an event applied because its status just got a meaning has its audit entry', async () => {
  let looks = 0;
  const { context, statuses } = await openAsked(({ statusMeanings }) => ({
    statusMeanings: {
      ...statusMeanings,
      known: async (portfolios) => {
        const known = await statusMeanings.known(portfolios);
        looks += 1;
        // The status gets its meaning while the event is read.
        if (looks === 1) await statusMeanings.set('aproved', 'approved', 'olga');
        return known;
      },
    },
  }));
  await letPass({ connection: context.ledger, keys: context.keys }, 10_000);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual({ aproved: 1 });
  const { entries } = await context.audit.read.page({ count: 99, filter: {}, walk: Number.POSITIVE_INFINITY });
  expect(entries.filter(({ what }) => what === 'decisions taken in')).toHaveLength(1);
});

// Promise: mistyped-event-read-again
test('an event with a possibly mistyped status is applied after somebody gives the meaning days later', async () => {
  const { context, statuses } = await openAsked(({ events }) => ({
    events: {
      ...events,
      raw: async (id) => {
        const found = await events.raw(id);
        return found && { ...found, firstMs: found.firstMs - 60 * 3_600_000 };
      },
    },
  }));
  await context.statusMeanings.set('aproved', 'approved', 'olga');
  await letPass({ connection: context.ledger, keys: context.keys }, 600_000);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual({ aproved: 1 });
});
