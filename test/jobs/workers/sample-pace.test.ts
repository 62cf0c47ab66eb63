import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSamplingPace } from '../../../jobs/workers/workers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the pace is sampled every two seconds, one sample at a time, even after a failure, until it is stopped', async () => {
  const asked: { resolve: (noted: boolean) => void; reject: (error: Error) => void }[] = [];
  const sampling = startSamplingPace({ add: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) });
  await vi.advanceTimersByTimeAsync(500);
  expect(asked.length).toBe(1);
  // The service has not been called yet.
  asked[0]?.resolve(false);
  await vi.advanceTimersByTimeAsync(250);
  asked[1]?.resolve(true);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(asked.length).toBe(2);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked.length).toBe(3);
  asked[2]?.reject(new Error('Redis is away'));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked.length).toBe(4);
  sampling.stop();
  asked[3]?.resolve(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBe(4);
});
