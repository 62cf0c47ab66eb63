import { expect, test } from 'vitest';
import { findNamedByEvents } from '../../../../jobs/nightly/finance/named-by-events.ts';
import type { RowResult } from '../../../../src/ledger/schema/row.ts';
import { eventOf, makeOlder, openEvents } from '../../../support/events.ts';
import { makeFoundList, makeRequest, makeWalked } from '../../../support/ledger.ts';

const DAY_MS = 86_400_000;

async function findIn(place: ReturnType<typeof openEvents>, results: readonly Partial<RowResult>[]) {
  const sink = makeFoundList();
  const check = await findNamedByEvents(place.events, { sink, sinceMs: Date.now() - DAY_MS });
  for (const result of results) await check.row(makeWalked(result));
  await check.end?.();
  return sink.items;
}

// Promise: night-tells-of-events
test('each row that new events name is listed once by its most specific id, and other events are counted', async () => {
  const place = openEvents();
  const { events, all } = place;
  for (const content of [
    'bl_1 company_1',
    'again: bl_1',
    'doc-000001',
    'company_2',
    'bl_9',
    'nothing at all',
    'bl_7 old',
  ])
    await events.keep(eventOf(content));
  const old = (await all()).find(({ ids }) => ids.includes('bl_7'));
  await makeOlder(place, old?.id ?? '', 2 * DAY_MS);
  const items = await findIn(place, [
    { limitId: 'bl_1', companyId: 'company_1' },
    { limitId: 'bl_2', companyId: 'company_1' },
    { limitId: 'bl_3', companyId: 'company_2', documentIds: ['doc-000001', 'doc-000002'] },
    { limitId: 'bl_7', companyId: 'company_7' },
    { limitId: '', companyId: '' },
  ]);
  expect(
    items.map(({ says, rows, detail, portfolio }) => [portfolio, says, rows, detail?.replace(/ \d{4}-.*/, '')]),
  ).toEqual([
    ['q4', "an event of the service names the row's limit", undefined, 'bl_1, 2 events, the last'],
    ['q4', "an event of the service names the row's company", undefined, 'company_1'],
    ['q4', "an event of the service names one of the row's documents", undefined, 'doc-000001'],
    ['', 'events of the service that name nothing known here', 2, undefined],
  ]);
  expect(items.every(({ check, isMended }) => check === 'events' && !isMended)).toBe(true);
});

test('an event that names a company only by its register number counts as known', async () => {
  const place = openEvents();
  await place.events.keep(eventOf('{"register":"HRB-7654321a"}'));
  await place.events.keep(eventOf('{"register":"CR12345678"}'));
  const limit = { requested_limit: '1000', company_registration_number: 'HRB-7654321a', business_information_id: '' };
  const items = await findIn(place, [{ request: makeRequest({ limit }) }]);
  expect(items.map(({ says, rows }) => [says, rows])).toEqual([
    ["an event of the service names a number of the row's company", undefined],
    ['events of the service that name nothing known here', 1],
  ]);
});

test('every named row is listed, however many ids the events contain', async () => {
  const place = openEvents({ mostBytes: 10_000_000 });
  const ids = (of: number) => Array.from({ length: 60 }, (_none, at) => `other-${of}-${at}x`).join(' ');
  const numbers = Array.from({ length: 90 }, (_none, at) => at);
  await Promise.all(numbers.map((at) => place.events.keep(eventOf(`bl_${at} ${ids(at)}`))));
  const items = await findIn(
    place,
    numbers.map((at) => ({ limitId: `bl_${at}` })),
  );
  expect(items.filter(({ portfolio }) => portfolio === 'q4')).toHaveLength(90);
  expect(items).toHaveLength(90);
});

test('events with more ids than the check compares are counted apart from events that name nothing', async () => {
  // The events have 300,000 ids. The first of them are compared, and the rest counts as not examined.
  const page = Array.from({ length: 5_000 }, (_none, of) => ({
    ids: Array.from({ length: 60 }, (_other, at) => `other-${of}-${at}x`),
    lastMs: 1,
  }));
  const events = {
    countSince: async () => page.length,
    totals: async () => ({ events: page.length, bytes: 1, full: 0, fullMs: undefined }),
    walk: async function* () {
      yield page;
    },
  } as unknown as Parameters<typeof findNamedByEvents>[0];
  const sink = makeFoundList();
  const check = await findNamedByEvents(events, { sink, sinceMs: 0 });
  await check.end?.();
  const [unknown, left] = sink.items;
  expect(sink.items).toHaveLength(2);
  expect(unknown).toMatchObject({ says: expect.stringContaining('name nothing known here'), rows: 4_369 });
  expect(left).toMatchObject({ says: expect.stringContaining('than are looked at'), rows: 5_000 - 4_369 });
});

test('a night without new events lists nothing and reads no row', async () => {
  const place = openEvents();
  const walked = { row: { portfolio: 'q4', key: 'row-1' } } as ReturnType<typeof makeWalked>;
  const sink = makeFoundList();
  const check = await findNamedByEvents(place.events, { sink, sinceMs: Date.now() });
  // The row has no result that the check could read.
  await check.row(walked);
  await check.end?.();
  expect(sink.items).toEqual([]);
});

test('events that were dropped because EVENTS_KEEP_MB was reached are reported', async () => {
  const place = openEvents({ mostBytes: 10 });
  await place.events.keep(eventOf('too much'));
  expect(await findIn(place, [])).toEqual([
    expect.objectContaining({ rows: 1, says: expect.stringContaining('EVENTS_KEEP_MB'), command: 'events' }),
  ]);
});

test('rows whose events were applied are not listed, and decisions that were not applied are counted', async () => {
  const place = openEvents();
  const { events } = place;
  const became = [
    { taken: 1, same: 1, older: 1 },
    { taken: 1, contradicts: 2 },
    { unreadable: 1 },
    { unreadable: 1, unknown: 1 },
    {},
    { 'other kind': 1 },
  ];
  for (const [at, one] of became.entries()) {
    await events.keep({ ...eventOf(`bl_${at}`), isToBeRead: true });
    const [id = ''] = await events.nextToRead([], 1);
    await events.nextToRead([{ id, became: one }], 0);
  }
  const items = await findIn(
    place,
    became.map((_one, at) => ({ limitId: `bl_${at}` })),
  );
  expect(items.map(({ says, rows, detail }) => [says, rows ?? detail?.split(' ')[0]])).toEqual([
    ['events of the service do not have what EVENTS_MAPPING says: npx limitline events try tells more', 2],
    ['decisions in events of the service are unlike others of the same time, and were not taken', 2],
    ...[1, 2, 3, 4, 5].map((at) => ["an event of the service names the row's limit", `bl_${at}`]),
  ]);
});
