import { expect, test } from 'vitest';
import { rowStory } from '../../../jobs/story/row-story.ts';
import { timelineOf } from '../../../src/console/pages/row/timeline.ts';
import { eventOf, openEvents } from '../../support/events.ts';
import { makeRequest, ROW } from '../../support/ledger.ts';

// Promise: row-shows-its-events
test('a row’s story has the events that name it, also those that came before our own answer was settled', async () => {
  const place = openEvents();
  const { rows, calls, events } = place;
  await rows.put(ROW, 2, '1', makeRequest());
  await rows.begin(ROW, 'company');
  const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
  await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' });
  await events.keep(eventOf('{"company":"company_1","type":"created"}'));
  const eventsOf = async () => (await rowStory(ROW, place))?.events.map(({ names, times }) => [names, times]);
  expect(await eventsOf()).toEqual([]);

  // The answer came; the row does not have the id yet.
  await calls.settle(company, 'a/1', { id: 'company_1', record: {}, buyer: 'buyer-of-muster' });
  expect(await eventsOf()).toEqual([[['company_1'], 1]]);
  await rows.advance(ROW, 'company', 'limit', { company: 'company_1' });
  await rows.advance(ROW, 'limit', 'done', { limit: 'bl_1' });
  await events.keep(eventOf('<b>bl_1 of company_1 is reduced</b>'));
  await events.keep(eventOf('<b>bl_1 of company_1 is reduced</b>'));
  await events.keep(eventOf('bl_2 of company_2'));
  const story = await rowStory(ROW, place);
  // Both may have come in one millisecond.
  expect(story?.events.map(({ names, times }) => [names, times]).sort()).toEqual([
    [['bl_1', 'company_1'], 2],
    [['company_1'], 1],
  ]);
  expect(story && timelineOf(story).map(({ words }) => words)).toEqual(
    expect.arrayContaining([
      'An event of the service came that names bl_1 and company_1, 2 times by now. It changed nothing here.',
      'An event of the service came that names company_1. It changed nothing here.',
    ]),
  );
  // And that is so.
  expect(story?.result).toMatchObject({ state: 'done', limitId: 'bl_1' });
});
