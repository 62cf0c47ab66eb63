import { expect, onTestFinished, test, vi } from 'vitest';
import { makeSayingFaults } from '../../../scripts/progress/say-faults.ts';
import { makeKeptLog } from '../../support/log-fixture.ts';

test('a fault that all calls meet is one line a minute, with how many met it, and another fault is said at once', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = makeKeptLog();
  const say = makeSayingFaults(log).meets;
  for (let n = 0; n < 31; n += 1) say(new Error('refused'));
  say(new Error('no token'));
  for (let n = 0; n < 31; n += 1) say(new Error(n % 2 === 0 ? 'refused' : 'no token'));
  vi.advanceTimersByTime(60_000);
  say(new Error('refused'));
  for (let n = 0; n < 31; n += 1) say(new Error(`answered with request ${n}`));
  expect(lines.slice(0, 3)).toMatchObject([
    { level: 'error', reason: 'refused', calls: 1, msg: expect.stringContaining('every row would meet this fault') },
    { reason: 'no token', calls: 31 },
    { reason: 'refused', calls: 32 },
  ]);
  expect(lines).toHaveLength(7);
});

test('that it is over is one line, as soon as a call is accepted that was not sent before it', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = makeKeptLog();
  const faults = makeSayingFaults(log);
  faults.accepted();
  faults.meets(new Error('refused'));
  faults.accepted();
  vi.advanceTimersByTime(4_000);
  for (let n = 0; n < 3; n += 1) faults.accepted();
  faults.meets(new Error('refused'));
  expect(lines).toMatchObject([
    { level: 'error', reason: 'refused' },
    { level: 'info', msg: 'the fault that every row met is over: this process sends again' },
    { level: 'error', reason: 'refused' },
  ]);
});
