import { expect, test } from 'vitest';
import { readNoticesFacts } from '../../../../scripts/notices/notices-list.ts';
import { type NoticesFacts, noticesSection } from '../../../../src/console/pages/nightly/notices-view.ts';
import { makeNotice, makeState, openOutbox } from '../../../support/outbox.ts';

const NOW_MS = 1_763_802_600_000;

const view = (changes: Partial<NoticesFacts> = {}) =>
  noticesSection({
    ways: [
      {
        way: 'webhook',
        waiting: 2,
        given: { name: 'webhook', where: 'hooks.example', how: 'as Slack reads it' },
        fault: {
          sinceMs: NOW_MS - 240_000,
          failures: 3,
          againMs: NOW_MS + 10_000,
          words: 'hooks.example answered <500>',
        },
      },
      { way: 'mail', waiting: 0, given: { name: 'mail', where: 'mail.example', how: 'to 2 addresses' } },
    ],
    about: [],
    hasLinks: true,
    lately: [
      {
        id: 'b',
        notice: makeNotice({ title: 'Portfolio <b>q4</b> is settled', path: '/portfolios/q4' }),
        deliveries: [
          { way: 'webhook', is: 'waiting', tries: 3, atMs: NOW_MS, where: 'hooks.example', words: 'answered 500' },
          { way: 'mail', is: 'delivered', tries: 1, atMs: NOW_MS - 60_000, where: 'mail.example', words: undefined },
        ],
      },
      { id: 'a', notice: makeNotice({ title: 'Disk' }), deliveries: [] },
    ],
    counts: { delivered: 1, undelivered: 0 },
    nowMs: NOW_MS,
    ...changes,
  }).markup;

test('the section shows the channels, a failing one with time and reason, and the delivery of each notice', () => {
  const markup = view();
  expect(markup).toContain('hooks.example, as Slack reads it; 2 notices wait');
  expect(markup).toContain('mail.example, to 2 addresses');
  expect(markup).toMatch(
    /The webhook fails\.<\/strong>.*hooks\.example answered &lt;500&gt;\. It has failed since <time[^>]*>2025-11-22 09:06:00 UTC/s,
  );
  expect(markup).toContain('<a href="/portfolios/q4"><bdi>Portfolio &lt;b&gt;q4&lt;/b&gt; is settled</bdi></a>');
  expect(markup).toMatch(/Webhook: tried 3 times<span class="under">answered 500/);
  expect(markup).toMatch(/Mail: delivered <time/);
  expect(markup).toContain('to nobody');
});

// Promise: undelivered-is-shown
test('an undelivered notice is shown with its reason', () => {
  const gone = {
    way: 'mail',
    is: 'undelivered',
    tries: 9,
    atMs: NOW_MS,
    where: 'm',
    words: 'm answered <no>',
  } as const;
  const markup = view({ lately: [{ id: 'a', notice: makeNotice(), deliveries: [gone] }] });
  expect(markup).toMatch(
    /<strong>Mail: not delivered, last tried <time.*<\/strong><span class="under">m answered &lt;no&gt;/,
  );
});

test('the section explains the setup when channels, links or notices are missing', () => {
  const none = view({ ways: [], lately: [] });
  expect(none).toContain('npx limitline notices test');
  expect(none).toContain('No notices yet.');
  expect(view({ hasLinks: false })).toContain('the address of this console is not set');
  expect(view({ about: ['disk', 'away'] })).toContain('disk, away');
  expect(view({ counts: { delivered: 0, undelivered: 3 } })).toContain('3 so far');
  expect(view({ ways: [{ way: 'mail', waiting: 1 }] })).toContain('not set up any more; 1 notice waits');
});

test('the latest notices are sorted by their own time, not by the time of reporting', async () => {
  const { outbox } = openOutbox();
  for (const atMs of [2_000, 1_000, 3_000]) await outbox.report([makeState('a', { atMs }, `portfolio ${atMs}`)]);
  const { lately } = await readNoticesFacts({ outbox, settings: { NOTIFY_ABOUT: [] } as never }, 9);
  expect(lately.map(({ notice }) => notice.atMs)).toEqual([3_000, 2_000, 1_000]);
});
