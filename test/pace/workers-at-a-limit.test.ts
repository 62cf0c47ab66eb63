import { test as alone, describe, expect } from 'vitest';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

const test = testsBeside();

type RateLimit = NonNullable<FaultChange['rateLimit']>;

const rateLimit = (perS: number, headers: RateLimit['headers'] = 'none'): FaultChange => ({
  rateLimit: { perS, burst: Math.ceil(perS / 5), headers },
});

/** A workplace with a hidden limit, and the pace that its processes share. */
async function openLimited(faults: FaultChange) {
  const place = await openWorkplace({ faults });
  const { context } = place;
  return {
    ...place,
    async ratePerS(): Promise<number> {
      const key = context.keys.pace;
      return (await makePaceReader(context.ledger, key)())?.ratePerS ?? 0;
    },
  };
}

describe('a hidden limit', () => {
  alone.each(['none', 'x-ratelimit-epoch-s'] as const)(
    'is found by two processes with headers %s and few refusals',
    async (headers) => {
      const { work, standIn, settled, ...place } = await openLimited(rateLimit(50, headers));
      await place.import(buyerLines(60));
      await Promise.all([work(), work()]);
      const report = await settled();
      expect(report.states.done).toBe(60);
      expect(standIn.madeTwice()).toEqual([]);
      // Retrying without a pace meets two refusals for each accepted call; learning costs a few, and a stalled machine
      // some more.
      expect(report.calls.throttled).toBeLessThan(30);
    },
  );

  test('of one call in two seconds lets all calls through in the end', async () => {
    const { work, standIn, settled, ...place } = await openLimited(rateLimit(0.5));
    await place.import(buyerLines(2));
    await work();
    expect((await settled()).states.done).toBe(2);
    expect(standIn.counts().made).toMatchObject({ company: 2, limit: 2 });
  });

  test('that falls and rises is followed', async () => {
    const { work, standIn, ratePerS, ...place } = await openLimited(rateLimit(60));
    await place.import(buyerLines(1_500));
    await work();
    await expect.poll(ratePerS).toBeGreaterThan(36);
    await standIn.setFaults(rateLimit(15));
    await expect.poll(ratePerS).toBeLessThan(24);
    await standIn.setFaults(rateLimit(60));
    await expect.poll(ratePerS).toBeGreaterThan(36);
  });
});

test('without a limit the calls in flight reach their maximum', async () => {
  const { work, standIn, report, ...place } = await openWorkplace({
    // So long that other load adds little: answers that take longer and longer would reduce the calls in flight.
    faults: { latencyMs: 400 },
    env: { SERVICE_CONCURRENCY: '16' },
  });
  await place.import(buyerLines(200));
  await work();
  await expect.poll(() => standIn.maxInFlight()).toBe(16);
  expect((await report()).calls.throttled).toBe(0);
});
