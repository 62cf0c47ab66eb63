import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lookAtPace } from '../../src/open-service.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

type Rules = NonNullable<FaultChange['rules']>;

const ROWS = 160;
const IN_FLIGHT = 32;
const OUTAGE_MS = 8_000;

/** What stands in the way answers, or does not; with the token endpoint or without. */
const gateway = (...on: ('company' | 'limit' | 'token')[]): Rules =>
  on.map((kind) => ({ on: kind, fault: 'status', status: 502 }));
const hangsUp: Rules = (['company', 'limit'] as const).map((on) => ({ on, fault: 'reset', by: 'fin' }));

// How many calls each leaves unknown of one process or of two: test/pace/breakers.test.ts.
const OUTAGES: [name: string, rules: Rules, why: string][] = [
  ['502, no token either', gateway('company', 'limit', 'token'), 'status 502'],
  ['accepts and hangs up', hangsUp, 'other side closed'],
];

/** Works on a portfolio through an outage in the middle of it, and answers how many rows that holds. */
async function passThrough([, rules, why]: (typeof OUTAGES)[number]): Promise<number> {
  const place = await openFaultPlace({
    // Slow enough for all calls that may be in flight to be so at a pace that two cores bear twice.
    faults: { latencyMs: 400 },
    env: { SERVICE_CONCURRENCY: String(IN_FLIGHT / 2) },
  });
  await place.import(buyerLines(ROWS));
  await Promise.all([place.work(), place.work()]);
  await expect.poll(() => place.standIn.maxInFlight()).toBeGreaterThan(IN_FLIGHT / 2);
  await place.standIn.setFaults({ rules });
  await sleep(OUTAGE_MS);
  const words = describeLearned((await lookAtPace(place.context)) ?? fail());
  expect(words).toContain(`is unknown (${why})`);
  await place.standIn.setFaults({ rules: [] });

  const { states } = await place.judged(ROWS);
  expect(states.refused).toBe(0);
  expect(states.done + states.held).toBe(ROWS);
  await place.resolveHeld();
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
  return states.held;
}

// Promise: outage-holds-few-rows
test('an outage whose answers say nothing holds only the rows in flight and the probes, and the rest goes on by itself', async () => {
  const held = await Promise.all(OUTAGES.map(passThrough));
  for (const [index, count] of held.entries()) {
    expect(count, OUTAGES[index]?.[0]).toBeGreaterThan(0);
    // Those in flight, what follows an answer from before while the first of the others come, and the probes.
    expect(count, OUTAGES[index]?.[0]).toBeLessThanOrEqual(1.5 * IN_FLIGHT);
  }
});

test('a kind of call that fails keeps no other kind from being made, of no portfolio', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 502 }] } });
  await place.import(buyerLines(120));
  await place.work();
  await expect.poll(() => place.standIn.counts().made.company).toBe(120);
  await place.import(buyerLines(180), { portfolio: 'second' });
  // The buyers of the first one have their companies.
  await expect.poll(() => place.standIn.counts().made.company).toBe(180);
  const waiting = async () => {
    const { states } = await place.context.portfolios.read('second');
    return states.queued + states.company;
  };
  await expect.poll(waiting).toBe(0);
});

function fail(): never {
  throw new Error('nothing is known of the pace');
}
