import { expect, test } from 'vitest';
import { makePlan } from '../jobs/plans/make-plan.ts';
import { knownRate } from '../src/open-service.ts';
import { openWorkplace } from './support/workplace.ts';

async function openWorked() {
  const { context, import: importLines, work, settled } = await openWorkplace();
  expect(await knownRate(context)).toBeUndefined();
  await importLines(['name,requested_limit', ...Array.from({ length: 30 }, (_, n) => `Buyer ${n},${n + 1}`)]);
  const workers = await work();
  await settled();
  return { context, workers };
}

test('the expected rate is known once calls were accepted, even before the service limits any', async () => {
  const { context } = await openWorked();
  expect(await knownRate(context)).toBeGreaterThan(0.1);
});

test('the expected rate stays known for hours after the last call', async () => {
  const { context, workers } = await openWorked();
  await workers.stop();
  // As after ten seconds with 400 calls, a pause, and five hours without calls.
  const { pace, paceSamples } = context.keys;
  await context.ledger.hset(pace, 'savedAt', (Date.now() - 5 * 3_600_000) * 1_000);
  const nowMs = Date.now();
  const samples = [
    ...[0, 80, 160, 240, 320, 400].map((accepted, place) => [nowMs - 18_000_000 + place * 2_000, accepted]),
    ...[nowMs - 17_980_000, nowMs].map((atMs) => [atMs, 400]),
  ];
  await context.ledger.del(paceSamples);
  await context.ledger.rpush(paceSamples, ...samples.map(([atMs, accepted]) => `${atMs} ${accepted} 0 0 0 0 0 0`));
  const ratePerS = await knownRate(context);
  expect(ratePerS).toBe(40);
  const plan = await makePlan({ portfolio: 'q4', action: 'retry', filter: {} }, context, ratePerS);
  expect(plan.seconds).not.toBeNull();
});
