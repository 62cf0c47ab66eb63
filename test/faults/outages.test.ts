import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { lookAtPace } from '../../src/open-service.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

type Rules = NonNullable<FaultChange['rules']>;

const ROWS = 160;
const IN_FLIGHT = 32;
const OUTAGE_MS = 8_000;

/** A gateway that answers with 502, at some endpoints or at all. */
const gateway = (...on: ('company' | 'limit' | 'token')[]): Rules =>
  on.map((kind) => ({ on: kind, fault: 'status', status: 502 }));
const hangsUp: Rules = (['company', 'limit'] as const).map((on) => ({ on, fault: 'reset', by: 'fin' }));

// test/pace/breakers.test.ts has the number of unknown outcomes for one process and for two.
const OUTAGES: [name: string, rules: Rules, why: string][] = [
  ['502, no token either', gateway('company', 'limit', 'token'), 'status 502'],
  ['accepts and hangs up', hangsUp, 'other side closed'],
];

/** Works on a portfolio through an outage, and returns the number of held rows. */
async function passThrough([, rules, why]: (typeof OUTAGES)[number]): Promise<number> {
  const place = await openFaultPlace({
    // Slow enough that all allowed calls are in flight at a pace that two cores can keep twice.
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
test('an outage with unknown outcomes holds only rows in flight and probes, and the other rows continue afterwards', async () => {
  const held = await Promise.all(OUTAGES.map(passThrough));
  for (const [index, count] of held.entries()) {
    expect(count, OUTAGES[index]?.[0]).toBeGreaterThan(0);
    // Rows in flight, those that leave before three unknown answers in a row trip the breaker, and the probes.
    expect(count, OUTAGES[index]?.[0]).toBeLessThanOrEqual(1.5 * IN_FLIGHT);
  }
});

test('a kind of call that fails does not stop other kinds of calls, in any portfolio', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 502 }] } });
  await place.import(buyerLines(120));
  await place.work();
  await expect.poll(() => place.standIn.counts().made.company).toBe(120);
  await place.import(buyerLines(180), { portfolio: 'second' });
  // The buyers of the first portfolio have their companies already.
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
