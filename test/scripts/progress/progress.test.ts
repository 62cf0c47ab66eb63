import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ofAccount, openBar, startProgress } from '../../../scripts/progress/progress.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts a progress that does not change, with standard error as a terminal or not. */
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

test('on a terminal, the bar is drawn again below a message', () => {
  const written = startStill(true);
  vi.advanceTimersByTime(200);
  makeTerminal({ json: false }).say('limitline: something');
  vi.advanceTimersByTime(200);
  const bar = expect.stringContaining('1 of 2 rows settled');
  const erased = '\r\x1b[J';
  expect(written).toEqual([bar, erased, expect.stringContaining('limitline: something\n'), bar]);
});

test('without a terminal, the progress is written only when it has changed', () => {
  const written = startStill(false);
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['1 of 2 rows settled\n']);
});

test.each([
  ['stand-in', 'stand-in: 3 of 5 rows settled'],
  ['https://api.example.com', 'api.example.com: 3 of 5 rows settled'],
  ['https://a-very-long-name.of-a-service.example.com', 'a-very-long-name.of-a-s…: 3 of 5 rows settled'],
])('the progress names its account: %s', (account, words) => {
  expect(ofAccount(account, { done: 3, total: 5, words: '3 of 5 rows settled' }).words).toBe(words);
});

/** Makes both streams one terminal with so many columns, and returns what is written, in order. */
function terminal(columns: number) {
  const written: string[] = [];
  for (const stream of [process.stderr, process.stdout]) {
    const write = vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    const known = ['isTTY', 'columns'].map((name) => [name, Object.getOwnPropertyDescriptor(stream, name)] as const);
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
    onTestFinished(() => {
      write.mockRestore();
      for (const [name, own] of known) {
        if (own) Object.defineProperty(stream, name, own);
        else Reflect.deleteProperty(stream, name);
      }
    });
  }
  const resize = (to: number) => Object.defineProperty(process.stderr, 'columns', { value: to, configurable: true });
  resize(columns);
  return { written, resize };
}

test('the bar is erased before other output on either stream', () => {
  const { written } = terminal(80);
  const bar = openBar();
  bar.draw('half');
  process.stdout.write('line 7: bad\n');
  process.stderr.write('limitline: a log\n');
  bar.draw('more');
  bar.end();
  process.stdout.write('the report\n');
  expect(written).toEqual([
    '\r\x1b[2Khalf',
    '\r\x1b[J',
    'line 7: bad\n',
    'limitline: a log\n',
    '\r\x1b[2Kmore',
    '\r\x1b[J',
    'the report\n',
  ]);
});

test('the bar is never wider than the terminal, and is fully erased after the terminal became narrower', () => {
  const { written, resize } = terminal(20);
  const bar = openBar();
  bar.draw('x'.repeat(50));
  expect(written.pop()).toBe(`\r\x1b[2K${'x'.repeat(19)}`);
  resize(8);
  process.stderr.write('said\n');
  expect(written).toEqual(['\r\x1b[1A\x1b[1A\x1b[J', 'said\n']);
  resize(0);
  bar.draw('x'.repeat(100));
  expect(written.at(-1)).toBe(`\r\x1b[2K${'x'.repeat(79)}`);
  bar.end();
});
