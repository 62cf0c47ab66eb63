import { expect, onTestFinished, test, vi } from 'vitest';
import { startRest } from '../../../jobs/workers/rest.ts';
import type { PaceState } from '../../../src/pace/pace-words.ts';

/** A resting process whose pace is blocked by the test, in time that passes on demand. */
function openRest() {
  vi.useFakeTimers();
  const stopping = new AbortController();
  const said: string[] = [];
  let untilMs = 0;
  const state = (): PaceState => ({
    phase: 'hold',
    ratePerS: 10,
    flowPerS: 0,
    isLimiting: false,
    atCeiling: false,
    blocked: { why: 'the service asked to wait', untilMs },
  });
  const rest = startRest({
    pace: { state, look: async () => state() },
    runners: () => [{ pause: async () => void said.push('paused'), resume: async () => void said.push('resumed') }],
    stopping: stopping.signal,
    onFault: (error) => said.push(String(error)),
  });
  onTestFinished(() => {
    rest.stop();
    vi.useRealTimers();
  });
  return {
    rest,
    said,
    stopping,
    block: (ms: number) => {
      untilMs = Date.now() + ms;
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  };
}

test('during a short wait the process keeps its rows', async () => {
  const { rest, said, block, pass } = openRest();
  const signal = rest.signal();
  block(4_000);
  await pass(6_000);
  expect(said).toEqual([]);
  expect(signal.aborted).toBe(false);
});

test('during a long wait the process puts its rows back, and takes up rows after its end', async () => {
  const { rest, said, block, pass } = openRest();
  const signal = rest.signal();
  block(3_600_000);
  await pass(2_000);
  expect(said).toEqual(['paused']);
  expect(signal.aborted).toBe(true);
  await pass(1_800_000);
  expect(said).toEqual(['paused']);
  block(0);
  await pass(1_000);
  expect(said).toEqual(['paused', 'resumed']);
  expect(rest.signal().aborted).toBe(false);
});

test('a process that stops while it rests takes up no rows again', async () => {
  const { rest, said, stopping, block, pass } = openRest();
  block(3_600_000);
  await pass(2_000);
  stopping.abort();
  block(0);
  await pass(5_000);
  expect(said).toEqual(['paused']);
  expect(rest.signal().aborted).toBe(true);
});

test('a quiet process takes up no rows after a long wait until it is told to', async () => {
  const { rest, said, block, pass } = openRest();
  block(10_000);
  await pass(2_000);
  await rest.quiet(true);
  await pass(20_000);
  expect(said).not.toContain('resumed');
  expect(rest.isQuiet()).toBe(true);
  await rest.quiet(false);
  expect(said.at(-1)).toBe('resumed');
});

test('a process told to take up rows during a long wait does so after the wait', async () => {
  const { rest, said, block, pass } = openRest();
  await rest.quiet(true);
  block(10_000);
  await pass(2_000);
  await rest.quiet(false);
  expect(said).not.toContain('resumed');
  await pass(20_000);
  expect(said.at(-1)).toBe('resumed');
});
