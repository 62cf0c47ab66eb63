import { expect, test } from 'vitest';
import { eventsFunctions } from '../../../scripts/console/nightly.ts';
import { eventsSection } from '../../../src/console/pages/events/events.ts';
import { eventOf } from '../../support/events.ts';
import { openNightlyConsole } from '../../support/nightly-console.ts';

// Promise: event-shown-as-text
test('events of the service are listed on the automation page, and the page of each shows it as text', async () => {
  const { get, context } = await openNightlyConsole();
  expect((await get('/nightly/automation')).text).toContain('No events yet.');
  const hostile = '<script>alert(1)</script> bl_1 \u202e\0 </pre><img src=x onerror=alert(2)>';
  await context.events.keep({ ...eventOf(hostile), headers: { 'x-<b>': ['<i>', '2'] } });
  await context.events.keep(eventOf(Buffer.concat([Buffer.from('bl_2 '), Buffer.from([0xff, 0xfe, 0])])));
  await context.events.keep(eventOf('x'.repeat(20_000)));
  await context.events.keep(eventOf(''));

  const list = await get('/nightly/automation');
  expect(list.text).toContain('4 events kept');
  const addresses = [...list.text.matchAll(/href="(\/service-events\/[\w-]{22})"/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(4);
  const pages = await Promise.all(addresses.map((address) => get(address)));
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const all = pages.map(({ text }) => text).join('\n');
  expect(all).toContain('&lt;script&gt;alert(1)&lt;/script&gt; bl_1 \\u{202e}\\u{0} &lt;/pre&gt;&lt;img');
  expect(all).not.toContain('<script>alert');
  expect(all).not.toContain('<i>');
  expect(all).toContain('bl_2 \\xff\\xfe\\x00');
  expect(all).toContain('This is its beginning.');
  expect(all).toContain('It has no body.');
  for (const none of ['AAAAAAAAAAAAAAAAAAAAAA', 'none', '..%2f..']) {
    expect((await get(`/service-events/${none}`)).status).toBe(404);
  }

  // Without the right to see events there is no link to them.
  const facts = await eventsFunctions(context).look(10);
  expect(String(eventsSection(facts, { showsEvents: false }))).not.toContain('/service-events/');
  const full = { ...facts, archived: 2, unlooked: 5, totals: { ...facts.totals, full: 3, fullMs: 1_000 } };
  const words = String(eventsSection(full, { showsEvents: true }));
  expect(words).toContain('3 events so far were not kept');
  expect(words).toContain('2 portfolios are archived');
  expect(words).toContain('not 5 older ones');
});

test('the page of an event shows how many decisions were read from it, and the list says that they were imported', async () => {
  const { get, context } = await openNightlyConsole();
  const { events } = context;
  await events.keep({ ...eventOf('bl_1'), isToBeRead: true });
  const [id = ''] = await events.nextToRead([], 1);
  expect((await get('/nightly/automation')).text).toContain('They change nothing by themselves');
  await events.nextToRead([{ id, became: { taken: 2, unreadable: 1 } }], 0);
  expect((await get('/nightly/automation')).text).toContain('Decisions found in them were taken over');
  const page = (await get(`/service-events/${id}`)).text;
  expect(page).toContain('2 taken, 1 not readable by the mapping that is set');
  expect(page).toContain('Decisions were taken from it');
});
