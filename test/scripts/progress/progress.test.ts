import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ofAccount, startProgress } from '../../../scripts/progress/progress.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Progress that stands still, on standard error as it is on a terminal or elsewhere. */
function startStill(isTTY: boolean): string[] {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const known = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true });
  const progress = startProgress(() => ({ done: 1, total: 2, words: '1 of 2 rows settled' }));
  onTestFinished(() => {
    progress.stop();
    write.mockRestore();
    if (known) Object.defineProperty(process.stderr, 'isTTY', known);
    else Reflect.deleteProperty(process.stderr, 'isTTY');
  });
  return written;
}

test('on a terminal the progress is drawn again below what was said, though nothing has changed', () => {
  const written = startStill(true);
  vi.advanceTimersByTime(200);
  makeTerminal({ json: false }).say('limitline: something');
  vi.advanceTimersByTime(200);
  const bar = expect.stringContaining('1 of 2 rows settled');
  const erased = '\r\x1b[J';
  expect(written).toEqual([bar, erased, expect.stringContaining('limitline: something\n'), bar]);
});

test('elsewhere the progress is written only when it has changed', () => {
  const written = startStill(false);
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['1 of 2 rows settled\n']);
});

test.each([
  ['stand-in', 'stand-in: 3 of 5 rows settled'],
  ['https://api.example.com', 'api.example.com: 3 of 5 rows settled'],
  ['https://a-very-long-name.of-a-service.example.com', 'a-very-long-name.of-a-s…: 3 of 5 rows settled'],
])('the progress says which account it is about: %s', (account, words) => {
  expect(ofAccount(account, { done: 3, total: 5, words: '3 of 5 rows settled' }).words).toBe(words);
});
