import { expect, test } from 'vitest';
import { findNamedByEvents } from '../../../../jobs/nightly/finance/named-by-events.ts';
import type { RowResult } from '../../../../src/ledger/row.ts';
import { eventOf, makeOlder, openEvents } from '../../../support/events.ts';
import { makeFoundList, makeWalked } from '../../../support/walked-rows.ts';

const DAY_MS = 86_400_000;

async function findIn(place: ReturnType<typeof openEvents>, results: readonly Partial<RowResult>[]) {
  const sink = makeFoundList();
  const check = await findNamedByEvents(place.events, { sink, sinceMs: Date.now() - DAY_MS });
  for (const result of results) await check.row(makeWalked(result));
  await check.end?.();
  return sink.items;
}

test('rows that new events name are told once each, by what is their own first; others are counted', async () => {
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
    ['q4', 'an event of the service names its limit', undefined, 'bl_1, 2 events, the last'],
    ['q4', 'an event of the service names its company', undefined, 'company_1'],
    ['q4', 'an event of the service names one of its documents', undefined, 'doc-000001'],
    ['', 'events of the service that name nothing known here', 2, undefined],
  ]);
  expect(items.every(({ check, isMended }) => check === 'events' && !isMended)).toBe(true);
});

test('a night without new events tells nothing, and looks at no row', async () => {
  const place = openEvents();
  const walked = { row: { portfolio: 'q4', key: 'row-1' } } as ReturnType<typeof makeWalked>;
  const sink = makeFoundList();
  const check = await findNamedByEvents(place.events, { sink, sinceMs: Date.now() });
  // It has no result that could be looked at.
  await check.row(walked);
  await check.end?.();
  expect(sink.items).toEqual([]);
});

test('events that were not taken, since all that may be kept is, are told', async () => {
  const place = openEvents({ mostBytes: 10 });
  await place.events.keep(eventOf('too much'));
  expect(await findIn(place, [])).toEqual([
    expect.objectContaining({ rows: 1, says: expect.stringContaining('EVENTS_KEEP_MB'), command: 'events' }),
  ]);
});
