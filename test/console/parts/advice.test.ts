import { expect, test } from 'vitest';
import { advice } from '../../../src/console/parts/text.ts';

test.each([
  ['All is well.', 'All is well.', undefined],
  [
    'No worker runs, so nothing is sent: start one with npx limitline work.',
    'No worker runs, so nothing is sent',
    ': start one with npx limitline work.',
  ],
  [
    'The queue a is paused; let it go on with: npx limitline resume',
    'The queue a is paused;',
    'let it go on with: npx limitline resume',
  ],
  ['There is no drop folder (LIMITLINE_INBOX is not set).', 'There is no drop folder', '(LIMITLINE_INBOX is not set).'],
  [
    'It is full. Archive: npx limitline archive NAME. It goes on.',
    'It is full. It goes on.',
    'Archive: npx limitline archive NAME.',
  ],
])('without commands the text %j reads %j', (text, visible, hidden) => {
  const { markup } = advice(text);
  const behind = /<span class="terminal">(.*?)<\/span>/;
  expect(behind.exec(markup)?.[1]).toBe(hidden);
  expect(
    markup
      .replace(behind, '')
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  ).toBe(visible);
});

test('times in a message are formatted for the reader, invalid times stay, and a long clause is cut', () => {
  const sent = advice(
    'It is unknown: sent 2026-11-27T12:57:07.138Z, then status 502 (name 502 in SERVICE_NOT_MADE)',
    20,
  ).markup;
  expect(sent).toContain('It is unknown: sent …');
  expect(sent).toContain('<span class="terminal">(name 502 in SERVICE…</span>');
  expect(advice('sent 2026-11-27T12:57:07.138Z').markup).toContain(
    'sent <time datetime="2026-11-27T12:57:07.138Z" data-local="minute">2026-11-27 12:57:07 UTC</time>',
  );
  expect(advice('sent 2026-99-27T99:57:07.138Z').markup).toContain('sent 2026-99-27T99:57:07.138Z');
});

test('a cell that a problem quotes is shown as it was written', () => {
  expect(String(advice('"Germany (terminated)" is no country.'))).toContain('Germany (terminated)');
});
