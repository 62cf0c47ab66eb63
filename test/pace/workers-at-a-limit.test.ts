import { describe, expect, test } from 'vitest';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

type RateLimit = NonNullable<FaultChange['rateLimit']>;

const rateLimit = (perS: number, headers: RateLimit['headers'] = 'none'): FaultChange => ({
  rateLimit: { perS, burst: Math.ceil(perS / 5), headers },
});

/** A workplace whose limit is hidden, and the pace that its processes share. */
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
  test.each(['none', 'x-ratelimit-epoch-s'] as const)(
    'is found by two processes, with headers %s, and few calls are refused',
    async (headers) => {
      const { work, standIn, settled, ...place } = await openLimited(rateLimit(50, headers));
      await place.import(buyerLines(60));
      await Promise.all([work(), work()]);
      const report = await settled();
      expect(report.states.done).toBe(60);
      expect(standIn.madeTwice()).toEqual([]);
      // The textbook way meets two for each call that passes; learning costs a few, and a stalled machine some more.
      expect(report.calls.throttled).toBeLessThan(30);
    },
  );

  test('of a call in two seconds gets its calls through', async () => {
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

test('where there is no limit, calls in flight are what limits us, and are as many as they may be', async () => {
  const { work, standIn, report, ...place } = await openWorkplace({
    // So long that a busy machine adds little to it: answers that take longer and longer would leave fewer calls in flight.
    faults: { latencyMs: 400 },
    env: { SERVICE_CONCURRENCY: '16' },
  });
  await place.import(buyerLines(200));
  await work();
  await expect.poll(() => standIn.maxInFlight()).toBe(16);
  expect((await report()).calls.throttled).toBe(0);
});
