import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

// Promise: own-ceiling-of-calls
test('SERVICE_RATE_PER_S also limits calls that are repeated after a 401', async () => {
  const place = await openFaultPlace({
    faults: { tokens: { diesAfterCalls: 4 } },
    env: { SERVICE_RATE_PER_S: '20', SERVICE_CONCURRENCY: '2' },
  });
  await place.import(buyerLines(12));
  await Promise.all([place.work(), place.work()]);
  expect((await place.judged(12)).states.done).toBe(12);
  expect(place.standIn.counts().requests.company[401]).toBeGreaterThan(0);
  expect(place.standIn.maxPerSecond()).toBeLessThanOrEqual(20);
});

// Promise: own-ceiling-of-calls
test('SERVICE_RATE_PER_S also limits calls that waited together for a token', async () => {
  const place = await openFaultPlace({
    // A token answer has some 100 bytes, so no process has a token for three seconds.
    faults: { tokens: { diesAfterCalls: 30 }, rules: [{ on: 'token', fault: 'slow', bytesPerS: 35 }] },
    env: { SERVICE_RATE_PER_S: '20' },
  });
  await place.import(buyerLines(30));
  await Promise.all([place.work(), place.work()]);
  expect((await place.judged(30)).states.done).toBe(30);
  expect(place.standIn.faultHits()[0]).toBeGreaterThan(1);
  expect(place.standIn.maxPerSecond()).toBeLessThanOrEqual(20);
});
