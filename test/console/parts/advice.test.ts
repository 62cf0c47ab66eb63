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
])('of %j somebody without commands reads %j', (text, visible, hidden) => {
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
