import { expect, onTestFinished, test, vi } from 'vitest';
import { makeEventLog } from '../../src/events/make-listener.ts';
import { makeKeptLog } from '../support/workplace.ts';

/** An event log on the test’s own clock. */
function openLog() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = makeKeptLog();
  return { told: makeEventLog(log), lines };
}

// Promise: listener-logs-numbers-alone
test('the first event is logged within a second, later ones once a minute, and nothing when none came', () => {
  const { told, lines } = openLog();
  vi.advanceTimersByTime(600_000);
  expect(lines).toEqual([]);
  told.count('kept');
  vi.advanceTimersByTime(1_000);
  expect(lines.map(({ msg }) => msg)).toEqual(['1 event came: 1 kept']);
  for (let n = 0; n < 1_200; n += 1) told.count('kept');
  told.count('known');
  vi.advanceTimersByTime(59_000);
  expect(lines.length).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(lines[1]).toEqual({
    level: 'info',
    events: { kept: 1_200, known: 1 },
    msg: '1,201 events came: 1,200 kept, 1 known before',
  });
  vi.advanceTimersByTime(600_000);
  expect(lines.length).toBe(2);
});

// Promise: listener-logs-numbers-alone
test('a wrong secret is logged as a warning once a minute, however often it is tried', () => {
  const { told, lines } = openLog();
  for (let second = 0; second < 120; second += 1) {
    told.count('wrong secret');
    vi.advanceTimersByTime(1_000);
  }
  expect(lines.length).toBe(2);
  expect(lines[0]).toMatchObject({ level: 'warn', msg: '1 event came: 1 with another secret than EVENTS_SECRET' });
  expect(lines[1]?.events).toEqual({ 'wrong secret': 60 });
});

test('a failure is logged with its reason and without the event, and closing logs what is outstanding', () => {
  const { told, lines } = openLog();
  told.count('failed', new Error('ERR unknown command, with args beginning with: anna@example.com'));
  told.close();
  expect(lines).toEqual([
    {
      level: 'warn',
      events: { failed: 1 },
      reason: 'ERR unknown command',
      msg: '1 event came: 1 not kept, since Redis did not take them',
    },
  ]);
});
