import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSamplingPace } from '../../../jobs/workers/sample-pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a sample is asked for each two seconds, one at a time, whatever goes wrong, until it is stopped', async () => {
  const asked: { resolve: (noted: boolean) => void; reject: (error: Error) => void }[] = [];
  const sampling = startSamplingPace({
    add: () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
  });
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked.length).toBe(1);
  asked[0]?.reject(new Error('Redis is away'));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked.length).toBe(2);
  asked[1]?.resolve(true);
  sampling.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBe(2);
});
